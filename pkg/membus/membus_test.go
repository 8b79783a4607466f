package membus_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/bustest"
	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/hotswap"
	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/membus"
)

func TestConformance(t *testing.T) {
	bustest.Run(t, func(testing.TB) bustest.Connect { return connectTo(membus.New()) })
}

func connectTo(log *membus.Log) bustest.Connect {
	return func(testing.TB) bustest.Member {
		conn := log.Connect()
		return bustest.Member{Bus: conn, Cut: conn.Cut, Freeze: conn.Freeze, Mend: conn.Mend}
	}
}

func TestRetainKeepsTheNewest(t *testing.T) {
	log := membus.New()
	log.Retain(3)
	publish(t, log.Connect(), 5)

	s := bustest.Join(t, connectTo(log))
	s.AwaitLive(t)
	entries := s.Last().Entries
	if len(entries) != 3 || entries[0].Position != 3 || entries[2].Position != 5 {
		t.Errorf("want positions 3 to 5, got %+v", entries)
	}
}

func TestReplaceBeginsAnEmptyLog(t *testing.T) {
	log := membus.New()
	s := bustest.Join(t, connectTo(log))
	s.AwaitLive(t)
	publish(t, log.Connect(), 5)
	s.AwaitEntries(t, 5)

	log.Replace()
	s.Await(t, "a second read", func() bool { return s.Reads() == 2 && s.Live() })
	if losses := s.Losses(); len(losses) != 1 || !errors.Is(losses[0], membus.ErrReplaced) {
		t.Errorf("losses: %v, want ErrReplaced", losses)
	}
	publish(t, log.Connect(), 1)
	if p := s.AwaitEntries(t, 1)[0].Position; p != 1 {
		t.Errorf("the first entry of the new log is at %d", p)
	}
}

// A frozen connection fails nothing and delivers nothing.
func TestFreeze(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := membus.New()
		conn := log.Connect()
		r := &bustest.Recorder{}
		ctx, cancel := context.WithCancel(t.Context())
		go conn.Subscribe(ctx, r)
		synctest.Wait()

		conn.Freeze()
		published := make(chan error, 1)
		go func() { published <- conn.Publish(ctx, bustest.Event("frozen", 1)) }()
		publish(t, log.Connect(), 1)
		synctest.Wait()
		if n := len(r.Last().Entries); n != 0 || len(published) != 0 || len(r.Losses()) != 0 {
			t.Errorf("entries: %d, publishes returned: %d, losses: %v; want none", n, len(published), r.Losses())
		}

		conn.Mend()
		synctest.Wait()
		if n := len(r.Last().Entries); n != 2 || len(published) != 1 || r.Reads() != 1 {
			t.Errorf("after Mend: %d entries, %d publishes returned, %d reads", n, len(published), r.Reads())
		}
		cancel()
		synctest.Wait()
	})
}

func TestLoseConfirms(t *testing.T) {
	log := membus.New()
	conn := log.Connect()
	conn.LoseConfirms(true)
	if err := conn.Publish(t.Context(), bustest.Event("a", 1)); !errors.Is(err, hotswap.ErrUnavailable) {
		t.Errorf("publish: %v, want ErrUnavailable", err)
	}
	if n := len(log.Entries()); n != 1 {
		t.Errorf("the log holds %d entries, want the unconfirmed one", n)
	}
}

// What a subscriber does to an event reaches no other one.
func TestEventsAreCopies(t *testing.T) {
	log := membus.New()
	event, after := bustest.Event("a", 1), hotswap.Position(7)
	event.After = &after
	if err := log.Connect().Publish(t.Context(), event); err != nil {
		t.Fatal(err)
	}
	after = 8
	*log.Entries()[0].Event.After = 9
	if got := *log.Entries()[0].Event.After; got != 7 {
		t.Errorf("After is %d, want 7", got)
	}
}

func publish(t *testing.T, bus hotswap.Bus, n int) {
	t.Helper()
	for i := range n {
		if err := bus.Publish(t.Context(), bustest.Event("a", i)); err != nil {
			t.Fatal(err)
		}
	}
}

// Two instances on one log: both read what one of them publishes.
func Example() {
	log := membus.New()
	author, reader := log.Connect(), log.Connect()
	defer author.Close()

	_ = author.Publish(context.Background(), hotswap.AdapterSwitchEvent{
		ID: "1", Origin: "hotswap:0:a", Target: "fallback", Reason: "timeout",
	})
	_ = reader.Subscribe(context.Background(), printer{reader})
	// Output:
	// past: 1 switch to fallback
	// live
}

// printer prints the past and then closes its bus.
type printer struct{ bus *membus.Conn }

func (printer) Begin() {}
func (printer) Entry(p hotswap.Position, e hotswap.AdapterSwitchEvent) {
	fmt.Println("past:", p, "switch to", e.Target)
}
func (p printer) CaughtUp() { fmt.Println("live"); p.bus.Close() }
func (printer) Lost(error)  {}
