package hotswap_test

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/hotswap"
	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/membus"
)

// cluster is some instances on one log, with one primary and one fallback.
type cluster struct {
	log               *membus.Log
	primary, fallback *upstream
	members           []*member
}

func newCluster(t *testing.T, n int, s hotswap.Settings) *cluster {
	c := &cluster{log: membus.New(), primary: newUpstream(answers("Chien")), fallback: newUpstream(answers("Chat"))}
	for range n {
		c.members = append(c.members, join(t, c.log, s, c.primary, c.fallback))
	}
	return c
}

// leave has the first instance meet a failure of the primary, after which all
// instances are on the fallback.
func (c *cluster) leave(t *testing.T) {
	t.Helper()
	c.primary.becomes(fails(err500))
	c.members[0].must(t, "Chat")
	synctest.Wait()
	c.allOn(t, "fallback")
}

func (c *cluster) allOn(t *testing.T, want string) {
	t.Helper()
	for _, m := range c.members {
		m.isOn(t, want)
	}
}

// times notes when something happened, counted from its start.
type times struct {
	mu    sync.Mutex
	start time.Time
	at    []time.Duration
}

func (s *times) note() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.at = append(s.at, time.Since(s.start))
}

func (s *times) since() []time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.at)
}

// Eight instances that switched together do not probe together, and each keeps to
// the interval.
func TestProbesAreSpread(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := membus.New()
		probed := &times{start: time.Now()}
		primary, fallback := newUpstream(fails(err500)), newUpstream(answers("Chat"))
		var first *member
		for range 8 {
			m := joinWith(t, log, hotswap.Settings{},
				hotswap.Adapter[animal]{Name: "primary", Port: primary, Probe: func(ctx context.Context) error {
					probed.note()
					return primary.Health(ctx)
				}},
				hotswap.Adapter[animal]{Name: "fallback", Port: fallback})
			first = m
		}
		first.must(t, "Chat")
		time.Sleep(7 * time.Second)
		at := probed.since()
		if len(at) != 8 {
			t.Fatalf("%d probes in 7 s, want one of each of 8 instances: %v", len(at), at)
		}
		for i, d := range at {
			if d < 4500*time.Millisecond || d > 5500*time.Millisecond {
				t.Errorf("probe %d after %v, want 5 s +- 10 %%", i, d)
			}
			if i > 0 && d == at[i-1] {
				t.Errorf("two probes at %v", d)
			}
		}
		time.Sleep(53 * time.Second)
		if n := len(probed.since()); n < 8*10 || n > 8*13 {
			t.Errorf("%d probes of 8 instances in a minute, want about 12 each", n)
		}
	})
}

// No probe stops the checker: once the primary responds, everybody goes back.
func TestABadProbeStopsNothing(t *testing.T) {
	for name, bad := range map[string]func(gate <-chan struct{}) behaviour{
		"hangs":               func(<-chan struct{}) behaviour { return hangs },
		"ignores its context": func(gate <-chan struct{}) behaviour { return deaf(gate, answers("late")) },
		"panics":              func(<-chan struct{}) behaviour { return func(context.Context) (string, error) { panic("probe") } },
		"ends its goroutine": func(<-chan struct{}) behaviour {
			return func(context.Context) (string, error) { runtime.Goexit(); return "", nil }
		},
		"fails": func(<-chan struct{}) behaviour { return fails(errBroken) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				gate := make(chan struct{})
				defer close(gate)
				c := newCluster(t, 2, hotswap.Settings{})
				c.leave(t)
				c.primary.becomes(bad(gate))
				time.Sleep(30 * time.Second)
				c.allOn(t, "fallback")
				if n := len(observed[hotswap.ProbeFailed](c.members[0].seen)); n < 3 || n > 6 {
					t.Errorf("%d failed probes in 30 s", n)
				}
				c.primary.becomes(answers("Chien"))
				time.Sleep(9 * time.Second)
				c.allOn(t, "primary")
			})
		})
	}
}

// I10: Close does not wait for a probe, and a probe that ignores its context does
// not keep it.
func TestI10_CloseDuringAProbe(t *testing.T) {
	for _, name := range []string{"probe", "canary"} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				gate := make(chan struct{})
				defer close(gate)
				s := hotswap.Settings{OneProber: true}
				if name == "canary" {
					s.Canary, s.CanaryCall = 1, func(context.Context, any) error { <-gate; return nil }
				}
				c := newCluster(t, 1, s)
				c.leave(t)
				if name == "probe" {
					c.primary.becomes(deaf(gate, answers("late")))
				} else {
					c.primary.becomes(answers("Chien"))
				}
				time.Sleep(6 * time.Second)
				start := time.Now()
				if err := c.members[0].Close(); err != nil || time.Since(start) != 0 {
					t.Errorf("Close returned %v after %v", err, time.Since(start))
				}
				if n := len(observed[hotswap.ProbeFailed](c.members[0].seen)); n != 0 {
					t.Errorf("%d probes are said to have failed, want none: the checker ended", n)
				}
			})
		})
	}
}

// A stay that ends makes no further probe, and the next stay begins its interval
// afresh.
func TestTheScheduleFollowsTheSwitches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t, 1, hotswap.Settings{})
		m := c.members[0]
		c.leave(t)
		time.Sleep(4 * time.Second)
		if err := m.Switch("primary", false); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		if n := len(observed[hotswap.ProbeFailed](m.seen)); n != 0 {
			t.Fatalf("%d probes of an adapter that is active", n)
		}
		c.leave(t)
		time.Sleep(4 * time.Second)
		if n := len(observed[hotswap.ProbeFailed](m.seen)); n != 0 {
			t.Fatalf("a probe within 4 s of the switch")
		}
		time.Sleep(2 * time.Second)
		if n := len(observed[hotswap.ProbeFailed](m.seen)); n != 1 {
			t.Fatalf("%d probes within 6 s of the switch, want 1", n)
		}
	})
}

// A pin stops the probes, on every instance; its release starts them.
func TestAPinStopsTheProbes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t, 2, hotswap.Settings{})
		if err := c.members[0].Switch("fallback", true); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		c.allOn(t, "fallback")
		if err := c.members[1].Release(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(6 * time.Second)
		c.allOn(t, "primary")
	})
}

// An adapter without a probe is never gone back to, except by an operator; the
// ones after it are.
func TestOnlyAdaptersWithAProbeAreGoneBackTo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		u := newUpstream(answers("x"))
		m := joinWith(t, membus.New(), hotswap.Settings{},
			hotswap.Adapter[animal]{Name: "a", Port: u},
			hotswap.Adapter[animal]{Name: "b", Port: u, Probe: u.Health},
			hotswap.Adapter[animal]{Name: "c", Port: u})
		if err := m.Switch("c", false); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		if got := m.switched(); !slices.Equal(got, []string{"c", "b"}) {
			t.Errorf("moved to %v, want c, then b", got)
		}
	})
}
