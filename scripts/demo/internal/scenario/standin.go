package scenario

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/hotswap"
	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/rabbitmq"
	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/service"
	"github.com/adapter-hotswap/adapter-hotswap-go/services/hotswap/adapters/narrator"
	"github.com/adapter-hotswap/adapter-hotswap-go/services/hotswap/adapters/upstream"
	"github.com/adapter-hotswap/adapter-hotswap-go/services/hotswap/animal"
	"github.com/adapter-hotswap/adapter-hotswap-go/services/hotswap/composition"
	"github.com/adapter-hotswap/adapter-hotswap-go/services/hotswap/walkthrough"
)

// standIn shows a behaviour of the article where the service has the cure built
// in and no setting takes it out.
type standIn uint8

const (
	noStandIn standIn = iota
	ownQueues         // see queues
	noRescue          // see unrescued
)

// unrescued is an instance whose calls in flight are not cut short by a switch:
// they wait out their timeout, as they do in the article.
type unrescued struct {
	instance *hotswap.Instance[animal.AnimalPort]
	bus      composition.Bus
	listener net.Listener
	log      *slog.Logger
	adapters []*upstream.Adapter
}

func newUnrescued(s composition.Settings, log *slog.Logger, listener net.Listener, connect composition.Connect, observer hotswap.Observer) (*unrescued, error) {
	id := rabbitmq.NewID("hotswap", s.Instance)
	bus, err := connect(s, id, log)
	if err != nil {
		return nil, err
	}
	primary, fallback := upstream.New(&s.PrimaryURL), upstream.New(&s.FallbackURL)
	instance, err := hotswap.New[animal.AnimalPort](bus,
		hotswap.Settings{ID: id, Timeout: s.Timeout, ProbeInterval: s.HealthInterval,
			Observers: []hotswap.Observer{narrator.New(log, walkthrough.Primary), observer}},
		hotswap.Adapter[animal.AnimalPort]{Name: walkthrough.Primary, Port: primary, Probe: primary.Health},
		hotswap.Adapter[animal.AnimalPort]{Name: walkthrough.Fallback, Port: fallback, Probe: fallback.Health})
	if err != nil {
		return nil, errors.Join(err, bus.Close())
	}
	return &unrescued{instance, bus, listener, log, []*upstream.Adapter{primary, fallback}}, nil
}

// Run serves until ctx ends.
func (u *unrescued) Run(ctx context.Context) error {
	router := service.NewRouter(u.log)
	router.Get(animalPath, u.animal)
	router.Get("/readyz", u.ready)
	err := errors.Join(service.Serve(ctx, u.log, u.listener, router), u.instance.Close(), u.bus.Close())
	for _, a := range u.adapters {
		a.CloseIdle()
	}
	return err
}

// animal finishes on the adapter on which it began, unless that one fails.
func (u *unrescued) animal(w http.ResponseWriter, r *http.Request) {
	answer, err := hotswap.Call(r.Context(), u.instance, hotswap.AtLeastOnce, animal.Ask)
	if err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	_, _ = io.WriteString(w, answer)
}

func (u *unrescued) ready(w http.ResponseWriter, r *http.Request) {
	select {
	case <-u.instance.Ready():
		_, _ = io.WriteString(w, "ready")
	case <-r.Context().Done():
	}
}
