package hotswap_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/hotswap"
	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/membus"
)

// With a hard deadline the caller has its answer at the timeout, whatever the
// adapter does; without one it waits for the adapter.
func TestAdapterIgnoresItsContext_AnswerAtTheTimeoutIfAskedFor(t *testing.T) {
	for _, test := range []struct {
		name string
		max  int
		want string
		took time.Duration
		left int
	}{
		{"hard deadline", 5, "Chat", 3 * time.Second, 1},
		{"adapters are trusted", 0, "Chien", time.Minute, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := join(t, membus.New(), hotswap.Settings{MaxAbandoned: test.max},
					newUpstream(deaf(after(time.Minute), answers("Chien"))), newUpstream(answers("Chat")))
				start := time.Now()
				m.must(t, test.want)
				if took := time.Since(start); took != test.took {
					t.Errorf("took %v, want %v", took, test.took)
				}
				synctest.Wait()
				if n := m.Status().AbandonedCalls; n != test.left {
					t.Errorf("%d calls left behind, want %d", n, test.left)
				}
				if a := observed[hotswap.Abandoned](m.seen); len(a) != test.left || test.left > 0 && (a[0].Adapter != "primary" || a[0].Running != 1) {
					t.Errorf("observed %+v", a)
				}
				time.Sleep(time.Minute)
				if n := m.Status().AbandonedCalls; n != 0 {
					t.Errorf("%d calls left behind after all have returned", n)
				}
			})
		})
	}
}

// The leak is bounded: at the bound an attempt fails at once, and only on the
// adapter that ignores its context.
func TestAbandonedCalls_AreBoundedPerAdapter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := make(chan struct{})
		primary := newUpstream(deaf(gate, fails(errBroken)))
		// A classifier that does not know what it means can't make an answer of it.
		s := hotswap.Settings{MaxAbandoned: 3, Trip: hotswap.Trip{Failures: 1000}, Classify: func(error) bool { return false }}
		m := join(t, membus.New(), s, primary, newUpstream(answers("Chat")))
		for range 3 {
			m.must(t, "Chat")
		}
		start := time.Now()
		for range 20 {
			m.must(t, "Chat")
			got, err := hotswap.Call(t.Context(), m.Instance, hotswap.AtMostOnce, ask)
			if got != "Chat" || err != nil {
				t.Errorf("got %q, %v; what was not started may be tried elsewhere", got, err)
			}
		}
		if took := time.Since(start); took != 0 || primary.asked.Load() != 3 || m.Status().AbandonedCalls != 3 {
			t.Errorf("took %v, asked %d times, %d left behind", took, primary.asked.Load(), m.Status().AbandonedCalls)
		}
		synctest.Wait()
		for _, f := range observed[hotswap.Failed](m.seen)[3:] {
			if !errors.Is(f.Err, hotswap.ErrAbandoned) {
				t.Errorf("observed %+v", f)
			}
		}
		close(gate)
		synctest.Wait()
		primary.becomes(answers("Chien"))
		m.must(t, "Chien")
	})
}

// Calls that are under way when the bound is reached are still answered in time.
func TestAbandonedCalls_UnderWayAtTheBound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := join(t, membus.New(), hotswap.Settings{MaxAbandoned: 1},
			newUpstream(deaf(after(time.Minute), answers("Chien"))), newUpstream(answers("Chat")))
		start := time.Now()
		var calls sync.WaitGroup
		for range 10 {
			calls.Go(func() { m.must(t, "Chat") })
		}
		calls.Wait()
		if took, n := time.Since(start), m.Status().AbandonedCalls; took != 3*time.Second || n != 10 {
			t.Errorf("took %v, %d left behind", took, n)
		}
		time.Sleep(time.Minute) // until they are back
	})
}

// A rescue does not wait for an adapter that ignores its context either.
func TestAdapterIgnoresItsContext_Rescue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := join(t, membus.New(), hotswap.Settings{MaxAbandoned: 5},
			newUpstream(deaf(after(time.Minute), answers("Chien"))), newUpstream(answers("Chat")))
		time.AfterFunc(time.Second, func() { _ = m.Switch("fallback", false) })
		start := time.Now()
		m.must(t, "Chat")
		if took := time.Since(start); took != time.Second {
			t.Errorf("took %v, want the moment of the switch", took)
		}
		time.Sleep(time.Minute) // until it is back
	})
}

// A caller that gives up does not wait for it either.
func TestAdapterIgnoresItsContext_CallerGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := membus.New()
		m := join(t, log, hotswap.Settings{MaxAbandoned: 5},
			newUpstream(deaf(after(time.Minute), answers("Chien"))), newUpstream(answers("Chat")))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := m.call(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		neutral(t, m, log)
		time.Sleep(time.Minute)
	})
}

// A panic after the call was left behind reaches nobody and harms nobody.
func TestAbandonedCallPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := join(t, membus.New(), hotswap.Settings{MaxAbandoned: 5},
			newUpstream(deaf(after(time.Minute), func(context.Context) (string, error) { panic(errBroken) })), newUpstream(answers("Chat")))
		m.must(t, "Chat")
		time.Sleep(time.Minute)
		synctest.Wait()
		if n := m.Status().AbandonedCalls; n != 0 {
			t.Errorf("%d calls left behind after all have returned", n)
		}
	})
}

// With the hard deadline an operation that returns in time is as it is without.
func TestHardDeadline_OperationsThatReturn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		primary := newUpstream(answers("Chien"))
		m := join(t, membus.New(), hotswap.Settings{MaxAbandoned: 1}, primary, newUpstream(answers("Chat")))
		m.must(t, "Chien")
		primary.becomes(fails(err404))
		if _, err := m.call(t.Context()); err != err404 {
			t.Errorf("got %v", err)
		}
		primary.becomes(hangs)
		m.must(t, "Chat")
		synctest.Wait()
		if n := m.Status().AbandonedCalls; n != 0 {
			t.Errorf("%d calls left behind", n)
		}
	})
}
