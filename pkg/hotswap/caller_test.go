package hotswap_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/hotswap"
	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/membus"
)

// neutral fails the test if anything was counted, decided or moved.
func neutral(t *testing.T, m *member, log *membus.Log) {
	t.Helper()
	synctest.Wait()
	if f := observed[hotswap.Failed](m.seen); len(f) > 0 {
		t.Errorf("%d failures counted, the first is %+v", len(f), f[0])
	}
	if n := len(observed[hotswap.Decided](m.seen)) + len(log.Entries()); n > 0 {
		t.Errorf("%d decisions and entries", n)
	}
	m.isOn(t, "primary")
}

func TestI5_CallerThatGivesUpSaysNothing(t *testing.T) {
	cancelAfter := func(d time.Duration) func(context.Context) (context.Context, context.CancelFunc) {
		return func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(ctx)
			time.AfterFunc(d, cancel)
			return ctx, cancel
		}
	}
	deadlineAfter := func(d time.Duration) func(context.Context) (context.Context, context.CancelFunc) {
		return func(ctx context.Context) (context.Context, context.CancelFunc) { return context.WithTimeout(ctx, d) }
	}
	for _, test := range []struct {
		name    string
		primary behaviour
		caller  func(context.Context) (context.Context, context.CancelFunc)
		err     error
		took    time.Duration
	}{
		{"cancels", hangs, cancelAfter(time.Second), context.Canceled, time.Second},
		{"has a deadline of its own", hangs, deadlineAfter(time.Second), context.DeadlineExceeded, time.Second},
		{"had cancelled before", answers("Chien"), cancelAfter(-1), context.Canceled, 0},
		{"cancels, and the adapter calls it a failure", thenFails(hangs, err500), cancelAfter(time.Second), context.Canceled, time.Second},
		{"cancels, and the adapter has words of its own", thenFails(hangs, errBroken), cancelAfter(time.Second), context.Canceled, time.Second},
		{"cancels at the timeout", hangs, cancelAfter(3*time.Second - 1), context.Canceled, 3*time.Second - 1},
		{"has a deadline that the connection is early for", early(time.Millisecond), deadlineAfter(time.Second), context.DeadlineExceeded, 999 * time.Millisecond},
		{"has a deadline that the connection is late for", early(-time.Millisecond), deadlineAfter(time.Second), context.DeadlineExceeded, 1001 * time.Millisecond},
	} {
		for mode, modeName := range []string{"repeatable", "at least once", "at most once"} {
			t.Run(test.name+"/"+modeName, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					log := membus.New()
					m := join(t, log, hotswap.Settings{}, newUpstream(test.primary), newUpstream(answers("Chat")))
					ctx, cancel := test.caller(t.Context())
					defer cancel()
					synctest.Wait()
					start := time.Now()
					_, err := hotswap.Call(ctx, m.Instance, hotswap.Mode(mode), ask)
					if !errors.Is(err, test.err) || errors.Is(err, hotswap.ErrAllFailed) {
						t.Errorf("got %v, want %v", err, test.err)
					}
					if took := time.Since(start); took != test.took {
						t.Errorf("took %v, want %v", took, test.took)
					}
					neutral(t, m, log)
				})
			})
		}
	}
}

func thenFails(b behaviour, err error) behaviour {
	return func(ctx context.Context) (string, error) {
		_, _ = b(ctx)
		return "", err
	}
}

// early is a connection whose own timer fires d before the deadline of the
// context, as those of package net may.
func early(d time.Duration) behaviour {
	return func(ctx context.Context) (string, error) {
		deadline, _ := ctx.Deadline()
		time.Sleep(time.Until(deadline) - d)
		return "", &net.OpError{Op: "dial", Net: "tcp", Err: os.ErrDeadlineExceeded}
	}
}

func TestFiftyCallersCancelAfterAMillisecond_NoFailureCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := membus.New()
		m := join(t, log, hotswap.Settings{}, newUpstream(takes(10*time.Millisecond, "Chien")), newUpstream(answers("Chat")))
		var callers sync.WaitGroup
		for range 50 {
			callers.Go(func() {
				ctx, cancel := context.WithCancel(t.Context())
				time.AfterFunc(time.Millisecond, cancel)
				if _, err := m.call(ctx); !errors.Is(err, context.Canceled) {
					t.Errorf("got %v", err)
				}
			})
		}
		callers.Wait()
		neutral(t, m, log)
		m.must(t, "Chien")
	})
}

// A failure that comes before the caller's deadline counts; so does our timeout,
// when the caller would have waited longer.
func TestCallerWithADeadline_FailuresBeforeItCount(t *testing.T) {
	for _, test := range []struct {
		name     string
		primary  behaviour
		deadline time.Duration
		want     string
		err      error
	}{
		{"an error", fails(err500), time.Second, "Chat", nil},
		{"the adapter's own timeout", thenFails(takes(500*time.Millisecond, ""), os.ErrDeadlineExceeded), time.Second, "Chat", nil},
		{"our timeout", hangs, 4 * time.Second, "Chat", nil},
		{"our timeout, which the connection is early for", early(time.Millisecond), 4 * time.Second, "Chat", nil},
		{"our timeout, just before theirs", hangs, 3*time.Second + time.Millisecond, "Chat", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := join(t, membus.New(), hotswap.Settings{}, newUpstream(test.primary), newUpstream(answers("Chat")))
				ctx, cancel := context.WithTimeout(t.Context(), test.deadline)
				defer cancel()
				if got, err := m.call(ctx); got != test.want || !errors.Is(err, test.err) {
					t.Errorf("got %q, %v", got, err)
				}
				m.isOn(t, "fallback")
			})
		})
	}
}

// The connection's own timer may fire before ours does: it is a timeout of the
// adapter, also for a classifier that does not know timeouts, and an answer when
// the adapter says so.
func TestTimeoutThatTheConnectionIsEarlyFor(t *testing.T) {
	answer := func(ctx context.Context) (string, error) {
		_, err := early(time.Millisecond)(ctx)
		return "", hotswap.Answer(err)
	}
	for _, test := range []struct {
		name    string
		primary behaviour
		active  string
	}{
		{"by a moment", early(time.Millisecond), "fallback"},
		{"by more than a clock is off", early(time.Second), "primary"},
		{"but marked as an answer", answer, "primary"},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := join(t, membus.New(), hotswap.Settings{Classify: func(error) bool { return false }},
					newUpstream(test.primary), newUpstream(answers("Chat")))
				_, _ = m.call(t.Context())
				m.isOn(t, test.active)
			})
		})
	}
}

// After a failure, a caller that has given up meanwhile has no other adapter
// asked, and gets its own error.
func TestCallerGivesUpBetweenTwoAdapters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		fallback := newUpstream(answers("Chat"))
		// Classifying the failure is what comes between the two.
		s := hotswap.Settings{Classify: func(err error) bool { cancel(); return true }}
		m := join(t, membus.New(), s, newUpstream(fails(errBroken)), fallback)
		if _, err := m.call(ctx); !errors.Is(err, context.Canceled) || fallback.asked.Load() > 0 {
			t.Errorf("got %v, and the fallback was asked %d times", err, fallback.asked.Load())
		}
	})
}

// A caller that gives up while its call is answered aside says nothing either.
func TestCallerGivesUpAside(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := join(t, membus.New(), hotswap.Settings{}, newUpstream(hangs), newUpstream(fails(err500)))
		if err := m.Switch("fallback", true); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := m.call(ctx); !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, hotswap.ErrAllFailed) {
			t.Errorf("got %v", err)
		}
		synctest.Wait()
		for _, f := range observed[hotswap.Failed](m.seen) {
			if f.Aside {
				t.Errorf("observed %+v", f)
			}
		}
	})
}

// A caller that gave up gets an error that says so, and the adapter's own when
// that says so too.
func TestCallerThatGaveUp_KeepsTheAdaptersErrorWhenItSaysSo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := join(t, membus.New(), hotswap.Settings{}, newUpstream(func(ctx context.Context) (string, error) {
			<-ctx.Done()
			return "", fmt.Errorf("asking: %w", ctx.Err())
		}), newUpstream(answers("Chat")))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := m.call(ctx); err == nil || err.Error() != "asking: context deadline exceeded" {
			t.Errorf("got %v", err)
		}
	})
}
