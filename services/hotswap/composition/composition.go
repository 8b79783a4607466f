// Package composition puts one instance of the hotswap service together. It is
// the only place that knows every part of the hexagon; the binary, the demo and
// the tests all come through here, each with a bus of its own.
package composition

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"strconv"
	"sync"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/hotswap"
	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/rabbitmq"
	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/service"
	"github.com/adapter-hotswap/adapter-hotswap-go/services/hotswap/adapters/metrics"
	"github.com/adapter-hotswap/adapter-hotswap-go/services/hotswap/adapters/narrator"
	"github.com/adapter-hotswap/adapter-hotswap-go/services/hotswap/adapters/partition"
	"github.com/adapter-hotswap/adapter-hotswap-go/services/hotswap/adapters/poller"
	"github.com/adapter-hotswap/adapter-hotswap-go/services/hotswap/adapters/upstream"
	"github.com/adapter-hotswap/adapter-hotswap-go/services/hotswap/adapters/web"
	"github.com/adapter-hotswap/adapter-hotswap-go/services/hotswap/adapters/web/live"
	"github.com/adapter-hotswap/adapter-hotswap-go/services/hotswap/animal"
	"github.com/adapter-hotswap/adapter-hotswap-go/services/hotswap/walkthrough"
)

// Service is one running instance.
type Service struct {
	log      *slog.Logger
	listener net.Listener
	bus      Bus
	primary  *upstream.Adapter
	fallback *upstream.Adapter
	instance *hotswap.Instance[animal.AnimalPort]
	animals  *animal.AnimalService
	metrics  *metrics.Metrics
	line     *partition.Line // nil: it can't be cut
	journal  *live.Journal
	page     *live.Live
	web      *web.Web
	poller   *poller.Poller
}

// Run makes an instance that logs to stdout, and runs it until ctx ends.
func Run(ctx context.Context, s Settings, stdout io.Writer, connect Connect) error {
	s.Instance = instanceName(ctx, s.Instance)
	listener, err := service.Listen("", s.Port)
	if err != nil {
		return err
	}
	instance, err := New(s, service.NewLogger(stdout, s.LogFormat, s.Instance), listener, connect)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	return instance.Run(ctx)
}

// New puts an instance together and joins it to the cluster. Run must follow: it
// ends what New began. The observers are told what happens, beside those of the
// service itself.
func New(s Settings, log *slog.Logger, listener net.Listener, connect Connect, observers ...hotswap.Observer) (*Service, error) {
	id := rabbitmq.NewID("hotswap", s.Instance+"-"+strconv.Itoa(s.Port))
	bus, err := connect(s, id, log)
	if err != nil {
		return nil, err
	}
	c := &Service{log: log, listener: listener, bus: bus,
		primary: upstream.New(&s.PrimaryURL), fallback: upstream.New(&s.FallbackURL)}
	if err := c.join(s, id, observers); err != nil {
		return nil, errors.Join(err, bus.Close())
	}
	c.animals = animal.NewAnimalService(c.instance)
	c.page = c.view(s, id, c.instance.Status)
	c.web = web.New(s.Instance, c.animals, c.instance, c.page, c.faults(s.Chaos))
	c.poller = poller.New(c.animals, s.PollInterval, phase(s.Instance), log)
	return c, nil
}

// join makes the instance of the pattern, with everything that observes it.
func (c *Service) join(s Settings, id string, observers []hotswap.Observer) error {
	var status func() hotswap.Status
	c.metrics = metrics.New([]string{walkthrough.Primary, walkthrough.Fallback}, func() hotswap.Status { return status() })
	c.journal = live.NewJournal(walkthrough.Primary, func() hotswap.Status { return status() })
	pattern := s.pattern()
	pattern.ID = id
	pattern.CanaryCall = func(ctx context.Context, port any) error {
		_, err := animal.Ask(ctx, port.(animal.AnimalPort))
		return err
	}
	pattern.Observers = append([]hotswap.Observer{narrator.New(c.log, walkthrough.Primary), c.metrics, c.journal}, observers...)
	instance, err := hotswap.New[animal.AnimalPort](c.openLine(s.Chaos), pattern,
		hotswap.Adapter[animal.AnimalPort]{Name: walkthrough.Primary, Port: c.primary, Probe: c.primary.Health},
		hotswap.Adapter[animal.AnimalPort]{Name: walkthrough.Fallback, Port: c.fallback, Probe: c.fallback.Health})
	if err != nil {
		return err
	}
	c.instance, status = instance, instance.Status
	return nil
}

// Addr is where the instance listens.
func (c *Service) Addr() net.Addr { return c.listener.Addr() }

// Run serves until ctx ends, then ends everything: requests first, then the
// instance, then the bus.
func (c *Service) Run(ctx context.Context) error {
	var beside sync.WaitGroup
	beside.Go(func() {
		select {
		case <-c.instance.Ready():
			c.poller.Run(ctx)
		case <-ctx.Done():
		}
	})
	beside.Go(func() { c.page.Run(ctx) })
	err := service.Serve(ctx, c.log, c.listener, c.web.Routes(c.log, c.metrics.Handler()))
	beside.Wait()
	err = errors.Join(err, c.instance.Close(), c.bus.Close())
	c.primary.CloseIdle()
	c.fallback.CloseIdle()
	return err
}
