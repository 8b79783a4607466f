package hotswap_test

import (
	"context"
	"errors"
	"net"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/hotswap"
	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/membus"
)

// What one call comes to, by what the primary does. The fallback answers "Chat".
func TestCall(t *testing.T) {
	refused := &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
	reset := &net.OpError{Op: "read", Net: "tcp", Err: syscall.ECONNRESET}
	for _, test := range []struct {
		name    string
		primary behaviour
		mode    hotswap.Mode
		want    string
		err     error
		active  string
		took    time.Duration
		reason  string
	}{
		{"an answer is returned", answers("Chien"), hotswap.Repeatable, "Chien", nil, "primary", 0, ""},
		{"a slow answer is an answer", takes(2*time.Second, "Chien"), hotswap.Repeatable, "Chien", nil, "primary", 2 * time.Second, ""},
		{"an error that is marked as an answer is returned", fails(err404), hotswap.Repeatable, "", err404, "primary", 0, ""},
		{"an error that is nothing known is an answer", fails(errBroken), hotswap.Repeatable, "", errBroken, "primary", 0, ""},
		{"a marked failure switches", fails(err500), hotswap.Repeatable, "Chat", nil, "fallback", 0, "error (HTTP 500)"},
		{"a refused connection switches", fails(refused), hotswap.Repeatable, "Chat", nil, "fallback", 0, "connection refused"},
		{"a connection that breaks switches", fails(reset), hotswap.Repeatable, "Chat", nil, "fallback", 0, "connection reset"},
		{"a timeout switches", hangs, hotswap.Repeatable, "Chat", nil, "fallback", 3 * time.Second, "timeout"},
		{"at least once: again after a failure", fails(reset), hotswap.AtLeastOnce, "Chat", nil, "fallback", 0, "connection reset"},
		{"at least once: again after a timeout", hangs, hotswap.AtLeastOnce, "Chat", nil, "fallback", 3 * time.Second, "timeout"},
		{"at most once: not again after a failure", fails(reset), hotswap.AtMostOnce, "", syscall.ECONNRESET, "fallback", 0, "connection reset"},
		{"at most once: not again after a timeout", hangs, hotswap.AtMostOnce, "", context.DeadlineExceeded, "fallback", 3 * time.Second, "timeout"},
		{"at most once: again when there was no connection", fails(refused), hotswap.AtMostOnce, "Chat", nil, "fallback", 0, "connection refused"},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := join(t, membus.New(), hotswap.Settings{}, newUpstream(test.primary), newUpstream(answers("Chat")))
				start := time.Now()
				got, err := hotswap.Call(t.Context(), m.Instance, test.mode, ask)
				if got != test.want || !errors.Is(err, test.err) || (err == nil) != (test.err == nil) {
					t.Errorf("got %q, %v; want %q, %v", got, err, test.want, test.err)
				}
				if took := time.Since(start); took != test.took {
					t.Errorf("took %v, want %v", took, test.took)
				}
				m.isOn(t, test.active)
				synctest.Wait()
				var reasons []string
				for _, d := range observed[hotswap.Decided](m.seen) {
					reasons = append(reasons, d.Reason)
				}
				if want := strings.Fields(test.reason); strings.Join(reasons, " ") != strings.Join(want, " ") {
					t.Errorf("decided because of %q, want %q", reasons, test.reason)
				}
			})
		})
	}
}

// What the operation returned beside its error reaches the caller with an
// answer, and is dropped with a failure.
func TestCall_ResultBesideAnError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		both := func(err error) behaviour { return func(context.Context) (string, error) { return "part", err } }
		m := join(t, membus.New(), hotswap.Settings{}, newUpstream(both(err404)), newUpstream(both(err500)))
		if got, err := m.call(t.Context()); got != "part" || err != err404 {
			t.Errorf("got %q, %v; want the operation's own", got, err)
		}
		if err := m.Switch("fallback", true); err != nil {
			t.Fatal(err)
		}
		if got, err := hotswap.Call(t.Context(), m.Instance, hotswap.AtMostOnce, ask); got != "" || !errors.Is(err, errBroken) {
			t.Errorf("got %q, %v; want nothing but the failure", got, err)
		}
	})
}

func TestBothAdaptersFail_OneErrorAndNoSwitchingToAndFro(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := membus.New()
		m := join(t, log, hotswap.Settings{}, newUpstream(hangs), newUpstream(fails(err500)))
		for range 10 {
			_, err := m.call(t.Context())
			var failed *hotswap.FailedError
			if !errors.As(err, &failed) || !failed.All || len(failed.Failures) != 2 {
				t.Fatalf("got %v, want one error that names both", err)
			}
			if !errors.Is(err, hotswap.ErrAllFailed) || !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, errBroken) {
				t.Errorf("%v does not lead to every cause", err)
			}
			for _, part := range []string{"every adapter failed", "primary: timeout", "fallback: error (HTTP 500): broken"} {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%q does not say %q", err, part)
				}
			}
		}
		synctest.Wait()
		if got := m.switched(); len(got) != 1 || switches(log) != 1 {
			t.Errorf("switched to %q, want fallback and no further", got)
		}
	})
}

// An error of a call that could not be repeated names the one adapter, and says
// that every adapter failed only if that is so.
func TestCall_FailedErrorOfOneAdapter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := join(t, membus.New(), hotswap.Settings{}, newUpstream(fails(err500)), newUpstream(answers("Chat")))
		_, err := hotswap.Call(t.Context(), m.Instance, hotswap.AtMostOnce, ask)
		var failed *hotswap.FailedError
		if !errors.As(err, &failed) || failed.All || errors.Is(err, hotswap.ErrAllFailed) || len(failed.Failures) != 1 {
			t.Fatalf("got %#v", err)
		}
		if got := err.Error(); got != "adapter failed: primary: error (HTTP 500): broken" {
			t.Errorf("got %q", got)
		}
	})
}

// At most once, with the last adapter failing after it may have taken effect:
// all were tried all the same.
func TestCall_AtMostOnceOnEveryAdapter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := join(t, membus.New(), hotswap.Settings{}, newUpstream(fails(syscall.ECONNREFUSED)), newUpstream(fails(err500)))
		if _, err := hotswap.Call(t.Context(), m.Instance, hotswap.AtMostOnce, ask); !errors.Is(err, hotswap.ErrAllFailed) {
			t.Errorf("got %v", err)
		}
	})
}

// Of three adapters, a call goes through those after the one that failed, in a
// circle, and each switch is one step.
func TestCall_ThreeAdapters(t *testing.T) {
	for _, test := range []struct {
		name    string
		working string // the one that works
		start   string
		asks    []int64 // calls of first, second, third
		active  string
	}{
		{"the second answers", "second", "first", []int64{1, 1, 0}, "second"},
		{"the third answers", "third", "first", []int64{1, 1, 1}, "third"},
		{"around the end of the list", "first", "second", []int64{1, 1, 1}, "third"},
		{"the last one does not lead on", "first", "third", []int64{1, 0, 1}, "third"},
		{"nobody answers", "", "second", []int64{1, 1, 1}, "third"},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var ups []*upstream
				var adapters []hotswap.Adapter[animal]
				for _, name := range []string{"first", "second", "third"} {
					up := newUpstream(fails(err500))
					if name == test.working {
						up.becomes(answers(name))
					}
					ups = append(ups, up)
					adapters = append(adapters, hotswap.Adapter[animal]{Name: name, Port: up})
				}
				m := joinWith(t, membus.New(), hotswap.Settings{}, adapters...)
				if err := m.Switch(test.start, false); err != nil {
					t.Fatal(err)
				}
				if got, err := m.call(t.Context()); got != test.working || (err == nil) != (test.working != "") {
					t.Errorf("got %q, %v", got, err)
				}
				m.isOn(t, test.active)
				for i, up := range ups {
					if got := up.asked.Load(); got != test.asks[i] {
						t.Errorf("adapter %d was asked %d times, want %d", i+1, got, test.asks[i])
					}
				}
			})
		})
	}
}

// On a pinned adapter that fails, a call is answered aside: for itself alone.
func TestCall_PinnedAdapterFails_AnsweredAside(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := membus.New()
		m := join(t, log, hotswap.Settings{}, newUpstream(answers("Chien")), newUpstream(fails(err500)))
		if err := m.Switch("fallback", true); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			m.must(t, "Chien")
		}
		synctest.Wait()
		m.isOn(t, "fallback")
		if n := switches(log); n != 1 {
			t.Errorf("%d switches in the log, want the operator's alone", n)
		}
		for _, a := range observed[hotswap.Answered](m.seen) {
			if !a.Aside || a.Adapter != "primary" || a.Result != "Chien" || a.Late {
				t.Errorf("observed %+v", a)
			}
		}
		if n := len(observed[hotswap.Answered](m.seen)); n != 3 {
			t.Errorf("%d answers observed, want 3", n)
		}
	})
}

// What happens aside says nothing about the adapter, but observers are told.
func TestCall_Aside(t *testing.T) {
	for _, test := range []struct {
		name     string
		primary  behaviour
		err      error
		answered int
		failed   int
	}{
		{"an answer", answers("Chien"), nil, 1, 0},
		{"an error that is an answer", fails(err404), err404, 1, 0},
		{"a failure", fails(err500), hotswap.ErrAllFailed, 0, 1},
		{"a timeout", hangs, hotswap.ErrAllFailed, 0, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := join(t, membus.New(), hotswap.Settings{}, newUpstream(test.primary), newUpstream(fails(err500)))
				if err := m.Switch("fallback", true); err != nil {
					t.Fatal(err)
				}
				if _, err := m.call(t.Context()); !errors.Is(err, test.err) {
					t.Errorf("got %v, want %v", err, test.err)
				}
				synctest.Wait()
				answered, failed := 0, 0
				for _, a := range observed[hotswap.Answered](m.seen) {
					if a.Aside && a.Adapter == "primary" && errors.Is(a.Err, test.err) {
						answered++
					}
				}
				for _, f := range observed[hotswap.Failed](m.seen) {
					if f.Aside && f.Adapter == "primary" && f.InRow == 0 {
						failed++
					}
				}
				if answered != test.answered || failed != test.failed {
					t.Errorf("%d answers and %d failures aside, want %d and %d", answered, failed, test.answered, test.failed)
				}
			})
		})
	}
}

func TestAdapterPanics_CallerGetsThePanicAndNobodyIsWedged(t *testing.T) {
	for name, s := range map[string]hotswap.Settings{"soft timeout": {}, "hard deadline": {MaxAbandoned: 1}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				primary := newUpstream(func(context.Context) (string, error) { panic(errBroken) })
				m := join(t, membus.New(), s, primary, newUpstream(answers("Chat")))
				for range 10 {
					if v := panicOf(func() { _, _ = m.call(t.Context()) }); v != errBroken {
						t.Fatalf("the caller got the panic %v", v)
					}
				}
				primary.becomes(answers("Chien"))
				m.must(t, "Chien")
				if err := m.Switch("fallback", false); err != nil {
					t.Fatal(err)
				}
				m.must(t, "Chat")
				synctest.Wait()
				if n := len(observed[hotswap.Failed](m.seen)) + m.Status().AbandonedCalls; n != 0 {
					t.Errorf("%d failures and abandoned calls", n)
				}
			})
		})
	}
}

func panicOf(f func()) (v any) {
	defer func() { v = recover() }()
	f()
	return nil
}

// An operation that ends its goroutine ends its caller's, as t.FailNow in a test
// does, and no more than that.
func TestOperationCallsGoexit(t *testing.T) {
	for name, s := range map[string]hotswap.Settings{"soft timeout": {}, "hard deadline": {MaxAbandoned: 1}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				primary := newUpstream(func(context.Context) (string, error) { runtime.Goexit(); return "", nil })
				m := join(t, membus.New(), s, primary, newUpstream(answers("Chat")))
				var returned atomic.Bool
				ended := make(chan struct{})
				go func() {
					defer close(ended)
					_, _ = m.call(t.Context())
					returned.Store(true)
				}()
				<-ended
				if returned.Load() {
					t.Error("the call returned")
				}
				primary.becomes(answers("Chien"))
				m.must(t, "Chien")
			})
		})
	}
}

func TestCall_TimeoutJitter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := join(t, membus.New(), hotswap.Settings{TimeoutJitter: time.Second}, newUpstream(hangs), newUpstream(hangs))
		seen := make(map[time.Duration]bool)
		for range 20 {
			_, _ = m.call(t.Context())
		}
		synctest.Wait()
		for _, f := range observed[hotswap.Failed](m.seen) {
			if f.Took < 3*time.Second || f.Took >= 4*time.Second {
				t.Errorf("an attempt took %v", f.Took)
			}
			seen[f.Took] = true
		}
		if len(seen) < 30 {
			t.Errorf("40 attempts had %d different timeouts", len(seen))
		}
	})
}

// An adapter that reports being cut short in its own words has timed out all the
// same.
func TestCall_TimeoutInTheAdaptersWords(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := join(t, membus.New(), hotswap.Settings{}, newUpstream(func(ctx context.Context) (string, error) {
			<-ctx.Done()
			return "", errBroken
		}), newUpstream(fails(err500)))
		_, err := m.call(t.Context())
		if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "primary: timeout: ") || !errors.Is(err, errBroken) {
			t.Errorf("got %v", err)
		}
		synctest.Wait()
		if d := observed[hotswap.Decided](m.seen); len(d) != 1 || d[0].Reason != "timeout" {
			t.Errorf("decided %+v", d)
		}
	})
}

// An adapter that knows better marks its error, even after the timeout.
func TestCall_MarkedAfterTheTimeout(t *testing.T) {
	for _, test := range []struct {
		name   string
		err    error
		active string
		reason []string
	}{
		{"as an answer", err404, "primary", nil},
		{"as a failure", err500, "fallback", []string{"error (HTTP 500)"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := join(t, membus.New(), hotswap.Settings{}, newUpstream(func(ctx context.Context) (string, error) {
					<-ctx.Done()
					return "", test.err
				}), newUpstream(answers("Chat")))
				_, _ = m.call(t.Context())
				m.isOn(t, test.active)
				synctest.Wait()
				var reasons []string
				for _, d := range observed[hotswap.Decided](m.seen) {
					reasons = append(reasons, d.Reason)
				}
				if !slices.Equal(reasons, test.reason) {
					t.Errorf("decided because of %q", reasons)
				}
			})
		})
	}
}

func TestCall_CustomClassifier(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := hotswap.Settings{Classify: func(err error) bool { return errors.Is(err, errBroken) }}
		primary := newUpstream(fails(syscall.ECONNREFUSED))
		m := join(t, membus.New(), s, primary, newUpstream(answers("Chat")))
		if _, err := m.call(t.Context()); err != syscall.ECONNREFUSED {
			t.Errorf("got %v, want the error that this classifier takes for an answer", err)
		}
		primary.becomes(fails(errBroken))
		m.must(t, "Chat")
		m.isOn(t, "fallback")
	})
}

// The timeout is a failure whatever the classifier says.
func TestCall_CustomClassifierDoesNotHideATimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := join(t, membus.New(), hotswap.Settings{Classify: func(error) bool { return false }},
			newUpstream(hangs), newUpstream(answers("Chat")))
		m.must(t, "Chat")
		m.isOn(t, "fallback")
	})
}

// atMostOnce fails a call with err and says whether it was tried elsewhere.
func atMostOnce(t *testing.T, err error, elsewhere bool) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		fallback := newUpstream(answers("Chat"))
		m := join(t, membus.New(), hotswap.Settings{}, newUpstream(fails(err)), fallback)
		_, got := hotswap.Call(t.Context(), m.Instance, hotswap.AtMostOnce, ask)
		if tried := fallback.asked.Load() == 1; tried != elsewhere || (got == nil) != elsewhere {
			t.Errorf("tried elsewhere is %v, and the caller got %v", tried, got)
		}
	})
}
