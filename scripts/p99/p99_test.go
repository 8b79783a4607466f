// Package p99 measures what a request pays for the bus: nothing. Three instances
// of the hotswap service answer GET /animal side by side, one with a healthy
// broker, one with a frozen one, one with none.
//
//	go test -v ./scripts/p99
//
// It needs a broker (the package rabbitmq-server, or Docker) and takes a minute.
// What it measures it prints and does not judge.
package p99

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/rabbitmq/brokertest"
	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/service"
	"github.com/adapter-hotswap/adapter-hotswap-go/services/hotswap/composition"
)

// requests go to each instance. The instances take turns, so that whatever else
// the machine does falls on all of them alike.
const requests = 60_000

func TestRequestsPayNothingForTheBus(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a minute; run without -short")
	}
	broker := brokertest.Start(t)
	healthy, frozen, absent := brokertest.NewProxy(t, broker.Port()), brokertest.NewProxy(t, broker.Port()), brokertest.NewProxy(t, broker.Port())
	absent.Cut()
	instances := []*instance{
		start(t, "healthy", healthy.URL()),
		start(t, "frozen", frozen.URL()),
		start(t, "absent", absent.URL()),
	}
	frozen.Freeze()

	for n := range requests * len(instances) {
		instances[(n+n/len(instances))%len(instances)].ask(t)
	}
	base := instances[0].quantile(0.99)
	for _, i := range instances {
		p99 := i.quantile(0.99)
		t.Logf("measured: bus %-7s GET /animal p50 %7.3f ms, p99 %7.3f ms, %+.1f %% against healthy (hoped for at most +10 %%)",
			i.bus, ms(i.quantile(0.50)), ms(p99), 100*(float64(p99)/float64(base)-1))
	}
}

// instance is one running hotswap service and how long its answers took.
type instance struct {
	bus  string
	url  string
	took []time.Duration
}

func start(t *testing.T, bus, amqpURL string) *instance {
	t.Helper()
	settings, err := service.Load[composition.Settings](map[string]string{
		"PRIMARY_URL": upstream(t, "Chien"), "FALLBACK_URL": upstream(t, "Chat"), "POLL_INTERVAL": "0s", "REPLAY_WAIT": "5s",
		"AMQP_URL": amqpURL, "AMQP_EXCHANGE": "p99.exchange", "AMQP_STREAM": "p99.log",
	})
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	composed, err := composition.New(settings, slog.New(slog.DiscardHandler), listener, composition.RabbitMQ)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- composed.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("the instance with the bus %s ended with %v", bus, err)
		}
	})
	i := &instance{bus: bus, url: fmt.Sprintf("http://%s", listener.Addr())}
	i.awaitReady(t)
	return i
}

func upstream(t *testing.T, animal string) string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, animal) }))
	t.Cleanup(server.Close)
	return server.URL
}

func (i *instance) awaitReady(t *testing.T) {
	t.Helper()
	deadline := time.Now().Add(time.Minute)
	for status := 0; status != http.StatusOK; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("the instance with the bus %s is not ready", i.bus)
		}
		if response, err := http.Get(i.url + "/readyz"); err == nil {
			status = response.StatusCode
			response.Body.Close()
		}
	}
}

func (i *instance) ask(t *testing.T) {
	began := time.Now()
	response, err := http.Get(i.url + "/animal")
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(response.Body)
	response.Body.Close()
	i.took = append(i.took, time.Since(began))
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("the instance with the bus %s answered %d %q, %v", i.bus, response.StatusCode, body, err)
	}
}

func (i *instance) quantile(share float64) time.Duration {
	slices.Sort(i.took)
	return i.took[int(share*float64(len(i.took)-1))]
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
