package bustest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/hotswap"
)

// Subscribed is a member whose log a Recorder reads.
type Subscribed struct {
	Member
	*Recorder
	// Returned brings what Subscribe returned.
	Returned <-chan error
	cancel   context.CancelFunc
}

// Join connects a member and subscribes a Recorder. At the end of the test the
// subscription and the bus are closed, and the Recorder is verified.
func Join(t testing.TB, connect Connect) *Subscribed {
	t.Helper()
	return JoinWith(t, connect, &Recorder{})
}

// JoinWith is Join with a Recorder of the caller's.
func JoinWith(t testing.TB, connect Connect, r *Recorder) *Subscribed {
	t.Helper()
	return Subscribe(t, connect(t), r)
}

// Subscribe lets r read the log of an existing member, which it closes at the
// end of the test.
func Subscribe(t testing.TB, m Member, r *Recorder) *Subscribed {
	ctx, cancel := context.WithCancel(context.Background())
	returned := make(chan error, 1)
	go func() { returned <- m.Bus.Subscribe(ctx, r) }()
	s := &Subscribed{Member: m, Recorder: r, Returned: returned, cancel: cancel}
	t.Cleanup(func() {
		s.Leave(t)
		r.Verify(t)
	})
	return s
}

// Leave ends the subscription and closes the bus.
func (s *Subscribed) Leave(t testing.TB) {
	t.Helper()
	s.cancel()
	if err := s.Bus.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
	s.AwaitReturn(t)
}

// AwaitReturn waits until Subscribe has returned. It may be called again.
func (s *Subscribed) AwaitReturn(t testing.TB) error {
	t.Helper()
	returned := make(chan error, 1)
	select {
	case err := <-s.Returned:
		returned <- err
		s.Returned = returned
		return err
	case <-time.After(Patience):
		t.Fatal("Subscribe did not return")
		return nil
	}
}

// Publish publishes event and fails the test on an error.
func (s *Subscribed) Publish(t testing.TB, event hotswap.AdapterSwitchEvent) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), Patience)
	defer cancel()
	if err := s.Bus.Publish(ctx, event); err != nil {
		t.Fatalf("publish %s: %v", event.ID, err)
	}
}

// Event makes the nth valid event of an origin.
func Event(origin string, n int) hotswap.AdapterSwitchEvent {
	return hotswap.AdapterSwitchEvent{
		ID:     fmt.Sprintf("%s-%d", origin, n),
		Origin: "suite:" + origin + ":0",
		Target: "fallback",
		Time:   time.UnixMilli(1_700_000_000_000 + int64(n)),
	}
}
