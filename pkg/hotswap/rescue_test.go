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

// Three instances have calls in flight when the primary hangs. The call that
// began first waits out its timeout; every other call, at its own instance or at
// another, is answered at that moment.
func TestI3_OnlyAFirstDetectorWaitsOutATimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := membus.New()
		var members []*member
		primary, fallback := newUpstream(hangs), newUpstream(answers("Chat"))
		for range 3 {
			members = append(members, join(t, log, hotswap.Settings{}, primary, fallback))
		}
		start := time.Now()
		var calls sync.WaitGroup
		for i := range 60 {
			calls.Go(func() {
				time.Sleep(time.Duration(i) * 40 * time.Millisecond)
				members[i%3].must(t, "Chat")
				if ended := time.Since(start); ended != 3*time.Second {
					t.Errorf("call %d ended after %v, want the moment of the first timeout", i, ended)
				}
			})
		}
		calls.Wait()
		for _, m := range members {
			m.must(t, "Chat")
		}
		if late := time.Since(start); late != 3*time.Second {
			t.Errorf("calls after the switch waited until %v", late)
		}
		synctest.Wait()
		timeouts, rescued := 0, 0
		for _, m := range members {
			timeouts += len(observed[hotswap.Failed](m.seen))
			rescued += len(observed[hotswap.Rescued](m.seen))
		}
		if timeouts != 1 || rescued != 59 || switches(log) != 1 {
			t.Errorf("%d timeouts, %d rescues, %d switches; want 1, 59, 1", timeouts, rescued, switches(log))
		}
	})
}

// Rescuing is the end of an activation, not a failure of its adapter: neither
// adapter has one to its name.
func TestI6_OurOwnRescueIsNoFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := membus.New()
		primary, fallback := newUpstream(hangs), newUpstream(answers("Chat"))
		m := join(t, log, hotswap.Settings{Trip: hotswap.Trip{Failures: 2}}, primary, fallback)
		var calls sync.WaitGroup
		for range 20 {
			calls.Go(func() { m.must(t, "Chat") })
		}
		time.Sleep(time.Second)
		if err := m.Switch("fallback", false); err != nil {
			t.Fatal(err)
		}
		calls.Wait()
		synctest.Wait()
		if f := observed[hotswap.Failed](m.seen); len(f) > 0 {
			t.Errorf("%d failures counted, the first is %+v", len(f), f[0])
		}
		if r := observed[hotswap.Rescued](m.seen); len(r) != 20 || r[0].From != "primary" || r[0].To != "fallback" || r[0].Waited != time.Second {
			t.Errorf("%d rescues: %+v", len(r), r)
		}
		if n := switches(log); n != 1 {
			t.Errorf("%d switches in the log, want the operator's alone", n)
		}
		fallback.becomes(fails(err500))
		_, _ = m.call(t.Context())
		synctest.Wait()
		for _, f := range observed[hotswap.Failed](m.seen) {
			if !f.Aside && f.InRow != 1 {
				t.Errorf("the first failure of the fallback is number %d in a row", f.InRow)
			}
		}
	})
}

// A rescued answer tells observers where it came from.
func TestRescue_Answered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := join(t, membus.New(), hotswap.Settings{}, newUpstream(hangs), newUpstream(takes(time.Second, "Chat")))
		time.AfterFunc(time.Second, func() { _ = m.Switch("fallback", false) })
		m.must(t, "Chat")
		synctest.Wait()
		a := observed[hotswap.Answered](m.seen)
		if len(a) != 1 || !a[0].Rescued || a[0].Late || a[0].Aside || a[0].Adapter != "fallback" || a[0].Took != time.Second || a[0].Epoch != 2 {
			t.Errorf("observed %+v", a)
		}
	})
}

// Operations that may not be cut short finish on the adapter on which they began.
func TestRescue_OnlyOfRepeatableOperations(t *testing.T) {
	for mode, name := range map[hotswap.Mode]string{hotswap.AtLeastOnce: "at least once", hotswap.AtMostOnce: "at most once"} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				fallback := newUpstream(answers("Chat"))
				m := join(t, membus.New(), hotswap.Settings{}, newUpstream(takes(2*time.Second, "Chien")), fallback)
				time.AfterFunc(time.Second, func() { _ = m.Switch("fallback", false) })
				got, err := hotswap.Call(t.Context(), m.Instance, mode, ask)
				if got != "Chien" || err != nil || fallback.asked.Load() > 0 {
					t.Errorf("got %q, %v; the fallback was asked %d times", got, err, fallback.asked.Load())
				}
				synctest.Wait()
				if a := observed[hotswap.Answered](m.seen); len(a) != 1 || !a[0].Late || a[0].Rescued {
					t.Errorf("observed %+v", a)
				}
			})
		})
	}
}

// An operation that may be repeated but not cut short fails under an activation
// that has ended: it is told as stale, and answered by the adapter of now.
func TestRescue_AtLeastOnceFailsAfterTheSwitch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := join(t, membus.New(), hotswap.Settings{}, newUpstream(hangs), newUpstream(answers("Chat")))
		time.AfterFunc(time.Second, func() { _ = m.Switch("fallback", false) })
		got, err := hotswap.Call(t.Context(), m.Instance, hotswap.AtLeastOnce, ask)
		if got != "Chat" || err != nil {
			t.Errorf("got %q, %v", got, err)
		}
		synctest.Wait()
		if f := observed[hotswap.Failed](m.seen); len(f) != 1 || !f[0].Stale || f[0].InRow != 0 || f[0].Took != 3*time.Second {
			t.Errorf("observed %+v", f)
		}
		if a := observed[hotswap.Answered](m.seen); len(a) != 1 || a[0].Late || a[0].Aside {
			t.Errorf("observed %+v", a)
		}
	})
}

// However an operation that may be repeated ends in error under an activation
// that has ended, it runs again.
func TestRescue_WhateverTheError(t *testing.T) {
	gate := func(err error) behaviour { return thenFails(hangs, err) }
	for name, primary := range map[string]behaviour{
		"the context's":       hangs,
		"in its own words":    gate(errBroken),
		"marked as failure":   gate(err500),
		"marked as an answer": gate(err404),
		"ignoring its context, an error that is an answer": thenFails(deafFor(2*time.Second), errBroken),
		"ignoring its context, a failure":                  thenFails(deafFor(2*time.Second), err500),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := join(t, membus.New(), hotswap.Settings{}, newUpstream(primary), newUpstream(answers("Chat")))
				time.AfterFunc(time.Second, func() { _ = m.Switch("fallback", false) })
				m.must(t, "Chat")
				synctest.Wait()
				if n := len(observed[hotswap.Failed](m.seen)); n > 0 {
					t.Errorf("%d failures counted", n)
				}
				if n := len(observed[hotswap.Rescued](m.seen)); n != 1 {
					t.Errorf("%d rescues, want 1", n)
				}
			})
		})
	}
}

// deafFor ignores its context for d.
func deafFor(d time.Duration) behaviour {
	return func(context.Context) (string, error) {
		time.Sleep(d)
		return "", nil
	}
}

// A success that comes in despite the rescue is the answer.
func TestRescue_AnAnswerInSpiteOfItIsTaken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fallback := newUpstream(answers("Chat"))
		m := join(t, membus.New(), hotswap.Settings{}, newUpstream(deaf(after(2*time.Second), answers("Chien"))), fallback)
		time.AfterFunc(time.Second, func() { _ = m.Switch("fallback", false) })
		m.must(t, "Chien")
		synctest.Wait()
		if a := observed[hotswap.Answered](m.seen); len(a) != 1 || !a[0].Late || fallback.asked.Load() > 0 {
			t.Errorf("observed %+v, and the fallback was asked %d times", a, fallback.asked.Load())
		}
	})
}

// after is a gate that opens after d.
func after(d time.Duration) <-chan struct{} {
	gate := make(chan struct{})
	time.AfterFunc(d, func() { close(gate) })
	return gate
}

// No sequence of switches keeps a call from its answer: after three rescues it
// stays where it is.
func TestRescue_IsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := takes(1500*time.Millisecond, "at last")
		primary, fallback := newUpstream(slow), newUpstream(slow)
		m := join(t, membus.New(), hotswap.Settings{}, primary, fallback)
		stop := make(chan struct{})
		var switching sync.WaitGroup
		switching.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-time.After(time.Second):
					_ = m.Switch([]string{"fallback", "primary"}[i%2], false)
				case <-stop:
					return
				}
			}
		})
		start := time.Now()
		m.must(t, "at last")
		if took := time.Since(start); took != 4500*time.Millisecond {
			t.Errorf("took %v, want three rescues of 1 s and one answer of 1.5 s", took)
		}
		if n := primary.asked.Load() + fallback.asked.Load(); n != 4 {
			t.Errorf("asked %d times, want 4", n)
		}
		close(stop)
		switching.Wait()
	})
}

// A call that is rescued onto an adapter that fails goes on from there, and its
// error names what failed, not what it was rescued from.
func TestRescue_OntoAnAdapterThatFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := join(t, membus.New(), hotswap.Settings{}, newUpstream(hangs), newUpstream(fails(err500)))
		time.AfterFunc(time.Second, func() { _ = m.Switch("fallback", false) })
		_, err := m.call(t.Context())
		var failed *hotswap.FailedError
		if !errors.As(err, &failed) || len(failed.Failures) != 2 || failed.Failures[0].Adapter != "fallback" {
			t.Errorf("got %v", err)
		}
	})
}
