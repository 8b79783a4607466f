package rabbitmq_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/rabbitmq"
	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/rabbitmq/brokertest"
)

// Gossip reaches every listener of its topic, teller included, comes back after
// a loss of the connection, and leaves nothing running.
func TestGossip(t *testing.T) {
	broker := brokertest.Start(t)
	proxy := brokertest.NewProxy(t, broker.Port())
	running := goleak.IgnoreCurrent()
	defer goleak.VerifyNone(t, running)

	a, b := gossiper(t, proxy.URL()), gossiper(t, proxy.URL())
	ctx, cancel := context.WithCancel(t.Context())
	heardA, heardB, other := hear(ctx, t, a, "topic"), hear(ctx, t, b, "topic"), hear(ctx, t, b, "other")

	tellUntil(t, a, func() bool { return heardA.Load() > 0 && heardB.Load() > 0 })
	proxy.Cut()
	proxy.Mend()
	heardA.Store(0)
	heardB.Store(0)
	tellUntil(t, b, func() bool { return heardA.Load() > 0 && heardB.Load() > 0 })
	if n := other.Load(); n != 0 {
		t.Errorf("another topic heard %d messages", n)
	}
	cancel()
	a.Close()
	b.Close()
	if err := a.Tell(t.Context(), "topic", nil); err == nil {
		t.Error("Tell succeeds without a connection")
	}
}

func gossiper(t *testing.T, url string) *rabbitmq.Bus {
	t.Helper()
	bus, err := rabbitmq.New(rabbitmq.Settings{URLs: []string{url}, ID: rabbitmq.NewID("gossip", "0"),
		Exchange: "gossips", BackoffMin: 20 * time.Millisecond, BackoffMax: 200 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	return bus
}

func hear(ctx context.Context, t *testing.T, bus *rabbitmq.Bus, topic string) *atomic.Int64 {
	t.Helper()
	var heard atomic.Int64
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		bus.Hear(ctx, topic, func([]byte) { heard.Add(1) }) //nolint:errcheck // ends with ctx
	}()
	t.Cleanup(func() { <-ended })
	return &heard
}

// tellUntil tells until done: gossip has no word for "everybody listens now".
func tellUntil(t *testing.T, bus *rabbitmq.Bus, done func() bool) {
	t.Helper()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(20 * time.Second); !done(); <-tick.C {
		if time.Now().After(deadline) {
			t.Fatal("not heard within 20 s")
		}
		bus.Tell(t.Context(), "topic", []byte("hello")) //nolint:errcheck // it fails until the listeners are back
	}
}
