package bustest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/hotswap"
)

func testReplay(t *testing.T, connect Connect) {
	early := Join(t, connect)
	early.AwaitLive(t)
	for n := range 20 {
		early.Publish(t, Event("a", n))
	}
	early.AwaitEntries(t, 20)

	late := Join(t, connect)
	late.AwaitLive(t)
	if past := late.Last().Past; past != 20 {
		t.Errorf("the past had %d entries, want 20", past)
	}
	early.Publish(t, Event("a", 20))
	late.AwaitEntries(t, 21)
	early.AwaitEntries(t, 21)
	sameEntries(t, []*Subscribed{early, late})
	if past := late.Last().Past; past != 20 {
		t.Errorf("a live entry was counted as past")
	}
}

func testThousandEntriesRetained(t *testing.T, connect Connect) {
	const n = 1000
	early := Join(t, connect)
	early.AwaitLive(t)
	for i := range n {
		early.Publish(t, Event("a", i))
	}
	early.AwaitEntries(t, n)

	late := Join(t, connect)
	late.AwaitLive(t)
	if past := late.Last().Past; past != n {
		t.Errorf("the past had %d entries, want %d", past, n)
	}
	sameEntries(t, []*Subscribed{early, late})
}

// A member that was away reads the log afresh, in the order of the others.
func testReconnect(t *testing.T, connect Connect) {
	away, others := Join(t, connect), joinLive(t, connect, 2)
	away.AwaitLive(t)
	others[0].Publish(t, Event("a", 1))
	away.AwaitEntries(t, 1)

	for round := 1; round <= 3; round++ {
		away.Cut()
		away.Await(t, "Lost", func() bool { return len(away.Losses()) == round })
		others[0].Publish(t, Event("a", 2*round))
		others[1].Publish(t, Event("b", 2*round+1))
		away.Mend()
		away.Await(t, "a new read", func() bool { return away.Reads() == round+1 && away.Live() })
		if past := away.Last().Past; past != 1+2*round {
			t.Errorf("round %d: the past had %d entries, want %d", round, past, 1+2*round)
		}
	}
	others[0].Publish(t, Event("a", 99))
	for _, m := range append(others, away) {
		m.AwaitEntries(t, 8)
	}
	sameEntries(t, append(others, away))
}

func testCutOffAtStart(t *testing.T, connect Connect) {
	other := Join(t, connect)
	other.AwaitLive(t)
	other.Publish(t, Event("a", 1))

	m := connect(t)
	m.Cut()
	s := Subscribe(t, m, &Recorder{})
	s.Await(t, "Lost", func() bool { return len(s.Losses()) == 1 })
	if s.Reads() != 0 {
		t.Error("a read began while cut off")
	}
	m.Mend()
	s.AwaitLive(t)
	if past := s.Last().Past; past != 1 {
		t.Errorf("the past had %d entries, want 1", past)
	}
}

func testPublishWhileCutOff(t *testing.T, connect Connect) {
	away, other := Join(t, connect), Join(t, connect)
	away.AwaitLive(t)
	other.AwaitLive(t)
	away.Cut()
	away.Await(t, "Lost", func() bool { return len(away.Losses()) == 1 })
	ctx, cancel := context.WithTimeout(context.Background(), Patience)
	defer cancel()
	if err := away.Bus.Publish(ctx, Event("a", 1)); !errors.Is(err, hotswap.ErrUnavailable) {
		t.Errorf("publish while cut off: %v, want ErrUnavailable", err)
	}
	if ctx.Err() != nil {
		t.Error("the publish waited for its context instead of failing at once")
	}
	away.Mend()
	away.Await(t, "a new read", func() bool { return away.Reads() == 2 && away.Live() })
	away.Publish(t, Event("a", 2))
	if got := other.AwaitEntries(t, 1)[0].Event.ID; got != "a-2" {
		t.Errorf("the log holds %s, want only a-2", got)
	}
}

// A bus that does not answer holds a publish no longer than its context lasts,
// and holds up no other member.
func testFrozen(t *testing.T, connect Connect) {
	silent, other := Join(t, connect), Join(t, connect)
	if silent.Freeze == nil {
		t.Skip("this bus cannot be frozen")
	}
	silent.AwaitLive(t)
	other.AwaitLive(t)
	silent.Freeze()
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if err := silent.Bus.Publish(ctx, Event("silent", 1)); err == nil {
		t.Error("a publish was confirmed over a frozen connection")
	}
	other.Publish(t, Event("other", 1))
	if got := other.AwaitEntries(t, 1)[0].Event.ID; got != "other-1" {
		t.Errorf("the log holds %s first", got)
	}
	if n := len(silent.Last().Entries); n != 0 {
		t.Errorf("%d entries passed over a frozen connection", n)
	}
	silent.Mend()
	silent.Await(t, "what was published meanwhile", func() bool {
		entries := silent.Last().Entries
		return silent.Live() && len(entries) > 0 && entries[0].Event.ID == "other-1"
	})
}
