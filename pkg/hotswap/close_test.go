package hotswap_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/hotswap"
	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/membus"
	"go.uber.org/goleak"
)

// 10,000 timeouts and 1,000 swaps and one, then Close, in the middle of an outage:
// at once the goroutines are back to where they were, and no timer goes off later.
func TestI10_NothingIsLeftRunningAfterClose(t *testing.T) {
	for _, test := range []struct {
		name            string
		max             int
		timeouts, swaps int
	}{
		{"soft timeout", 0, 10_000, 1001},
		{"hard deadline", 100, 1000, 101},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				before := goleak.IgnoreCurrent()
				s := hotswap.Settings{MaxAbandoned: test.max, Trip: hotswap.Trip{Failures: 1 << 30}}
				primary := newUpstream(hangs)
				m := join(t, membus.New(), s, primary, newUpstream(hangs))
				for range 10 {
					timeouts(t, m, test.timeouts/20) // each fails twice
				}
				for i := range test.swaps {
					if err := m.Switch([]string{"fallback", "primary"}[i%2], false); err != nil {
						t.Fatal(err)
					}
				}
				synctest.Wait()
				if got := len(observed[hotswap.Failed](m.seen)); got != test.timeouts || m.Status().Epoch != uint64(test.swaps)+1 {
					t.Errorf("%d timeouts and epoch %d", got, m.Status().Epoch)
				}
				start := time.Now()
				if err := m.Close(); err != nil || time.Since(start) != 0 {
					t.Errorf("closed with %v after %v", err, time.Since(start))
				}
				if err := goleak.Find(before); err != nil {
					t.Error(err)
				}
				probed := primary.probed.Load()
				time.Sleep(time.Hour)
				if primary.probed.Load() != probed {
					t.Error("still probing")
				}
			})
		})
	}
}

// timeouts makes n calls at the same time that fail on every adapter.
func timeouts(t *testing.T, m *member, n int) {
	var calls sync.WaitGroup
	for range n {
		calls.Go(func() {
			_, err := m.call(t.Context())
			if !errors.Is(err, hotswap.ErrAllFailed) {
				t.Errorf("got %v", err)
			}
		})
	}
	calls.Wait()
}

func TestClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := join(t, membus.New(), hotswap.Settings{}, newUpstream(answers("Chien")), newUpstream(answers("Chat")))
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
		_, err := m.call(t.Context())
		wantError(t, err, hotswap.ErrClosed)
		wantError(t, m.Switch("fallback", false), hotswap.ErrClosed)
		wantError(t, m.Release(), hotswap.ErrClosed)
		if err := m.Close(); err != nil {
			t.Errorf("closing again: %v", err)
		}
		m.isOn(t, "primary")
	})
}

// Observers are told what happened before Close.
func TestClose_ObserversAreToldTheRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := join(t, membus.New(), hotswap.Settings{}, newUpstream(answers("Chien")), newUpstream(answers("Chat")))
		for range 1000 {
			m.must(t, "Chien")
		}
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
		if n := len(observed[hotswap.Answered](m.seen)); n != 1000 {
			t.Errorf("told of %d answers, want 1000", n)
		}
	})
}

// Calls in flight go on to their own end, the switch that they need included.
func TestClose_CallsInFlightGoOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := join(t, membus.New(), hotswap.Settings{}, newUpstream(hangs), newUpstream(answers("Chat")))
		var call sync.WaitGroup
		call.Go(func() { m.must(t, "Chat") })
		time.Sleep(time.Second)
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
		call.Wait()
	})
}

// stubborn is a bus that does not return.
type stubborn struct{ gate chan struct{} }

func (s stubborn) Publish(context.Context, hotswap.AdapterSwitchEvent) error { <-s.gate; return nil }
func (s stubborn) Subscribe(context.Context, hotswap.Subscriber) error       { <-s.gate; return nil }

// Close is bounded, whatever does not return: the bus, a probe, an observer.
func TestClose_IsBounded(t *testing.T) {
	for _, name := range []string{"bus", "observer", "observer that closes"} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				gate := make(chan struct{})
				var in atomic.Pointer[hotswap.Instance[animal]]
				var nested atomic.Value
				bus, s := hotswap.Bus(membus.New().Connect()), hotswap.Settings{CloseWait: time.Second}
				switch name {
				case "bus":
					bus = stubborn{gate}
				case "observer":
					s.Observers = append(s.Observers, hotswap.ObserverFunc(func(hotswap.Observation) { <-gate }))
				default:
					s.Observers = append(s.Observers, hotswap.ObserverFunc(func(o hotswap.Observation) {
						if _, ok := o.(hotswap.Answered); ok {
							nested.CompareAndSwap(nil, in.Load().Close())
						}
					}))
				}
				seen := new(recorder)
				s.Observers = append(s.Observers, seen)
				made, err := hotswap.New(bus, s,
					hotswap.Adapter[animal]{Name: "primary", Port: newUpstream(answers("Chien"))},
					hotswap.Adapter[animal]{Name: "fallback", Port: newUpstream(answers("Chat"))})
				if err != nil {
					t.Fatal(err)
				}
				in.Store(made)
				_, _ = hotswap.Call(t.Context(), made, hotswap.Repeatable, ask)
				synctest.Wait()
				start := time.Now()
				if name == "observer that closes" {
					time.Sleep(time.Second)
					synctest.Wait()
					if err, _ := nested.Load().(error); !errors.Is(err, hotswap.ErrStillRunning) {
						t.Errorf("the observer got %v", err)
					}
				} else {
					wantError(t, made.Close(), hotswap.ErrStillRunning)
				}
				if took := time.Since(start); took != time.Second {
					t.Errorf("took %v, want CloseWait", took)
				}
				synctest.Wait()
				if n := len(observed[hotswap.Answered](seen)); n != 1 {
					t.Errorf("the other observer was told of %d answers", n)
				}
				close(gate)
			})
		})
	}
}

// Close while calls and switches come from everywhere: each call has an answer
// or ErrClosed, and nothing is left.
func TestClose_WhileCallsAndSwitchesGoOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		before := goleak.IgnoreCurrent()
		m := join(t, membus.New(), hotswap.Settings{}, newUpstream(takes(time.Millisecond, "Chien")), newUpstream(takes(time.Millisecond, "Chat")))
		var busy sync.WaitGroup
		for range 50 {
			busy.Go(func() {
				for err := error(nil); err == nil; {
					if _, err = m.call(t.Context()); err != nil {
						wantError(t, err, hotswap.ErrClosed)
					}
				}
			})
		}
		for i := range 4 {
			busy.Go(func() {
				for err := error(nil); err == nil; time.Sleep(time.Millisecond) {
					if err = m.Switch([]string{"fallback", "primary"}[i%2], false); err != nil {
						wantError(t, err, hotswap.ErrClosed)
					}
				}
			})
		}
		time.Sleep(50 * time.Millisecond)
		var closing sync.WaitGroup
		for range 3 {
			closing.Go(func() {
				if err := m.Close(); err != nil {
					t.Error(err)
				}
			})
		}
		closing.Wait()
		busy.Wait()
		if err := goleak.Find(before); err != nil {
			t.Error(err)
		}
	})
}
