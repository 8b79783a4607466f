package rabbitmq_test

import (
	"context"
	"errors"
	"testing"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/bustest"
	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/hotswap"
	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/rabbitmq/brokertest"
)

// The log keeps what fits and drops the oldest; who joins reads the rest.
func testRetention(t *testing.T, l *busLog) {
	l.settings.MaxBytes, l.settings.SegmentBytes = 100_000, 20_000
	s := bustest.Join(t, l.connect)
	s.AwaitLive(t)
	const n = 1000
	for i := range n {
		s.Publish(t, bustest.Event("a", i))
	}
	s.AwaitEntries(t, n)

	late := bustest.Join(t, l.connect)
	late.AwaitLive(t)
	entries := late.Last().Entries
	if len(entries) == 0 || len(entries) > n/2 {
		t.Fatalf("the log retains %d of %d entries", len(entries), n)
	}
	if last := entries[len(entries)-1].Event.ID; last != "a-999" {
		t.Errorf("the newest entry is %s", last)
	}
	t.Logf("%d of %d entries retained, the first at %d", len(entries), n, entries[0].Position)
}

// A dead broker in the list costs no pause, and no loss is told twice.
func testSecondURL(t *testing.T, l *busLog) {
	dead := brokertest.NewProxy(t, l.broker.Port())
	dead.Cut()
	bus := l.bus(t, dead.URL(), brokertest.URL(l.broker))
	s := bustest.Subscribe(t, bustest.Member{Bus: bus}, &bustest.Recorder{})
	s.AwaitLive(t)
	if n := len(s.Losses()); n != 1 {
		t.Errorf("%d losses, want that of the first broker", n)
	}
	if stats := bus.Stats(); !stats.Connected || stats.Connects != 1 {
		t.Errorf("stats: %+v", stats)
	}
}

func testOneSubscription(t *testing.T, l *busLog) {
	bus := l.bus(t, brokertest.URL(l.broker))
	s := bustest.Subscribe(t, bustest.Member{Bus: bus}, &bustest.Recorder{})
	s.AwaitLive(t)
	if err := bus.Subscribe(context.Background(), &bustest.Recorder{}); err == nil {
		t.Error("a second subscription was let in")
	}
}

// An event that no log takes comes back from the broker, and counts as failed.
func testReturned(t *testing.T, l *busLog) {
	s := bustest.Join(t, l.connect)
	s.AwaitLive(t)
	ch := newJavaPeer(t, l).channel
	if err := ch.QueueUnbind(l.settings.Stream, "#", l.settings.Exchange, nil); err != nil {
		t.Fatal(err)
	}
	// The peer's own queue must not take it either.
	if err := ch.Cancel("peer", false); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), bustest.Patience)
	defer cancel()
	for n := range 20 {
		if err := s.Bus.Publish(ctx, bustest.Event("lost", n)); !errors.Is(err, hotswap.ErrUnavailable) {
			t.Fatalf("publish without a log: %v, want ErrUnavailable", err)
		}
	}
	if err := ch.QueueBind(l.settings.Stream, "#", l.settings.Exchange, false, nil); err != nil {
		t.Fatal(err)
	}
	s.Publish(t, bustest.Event("kept", 1))
	if got := s.AwaitEntries(t, 1)[0].Event.ID; got != "kept-1" {
		t.Errorf("the log holds %s first", got)
	}
}
