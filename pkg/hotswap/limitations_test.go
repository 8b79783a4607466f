package hotswap_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/hotswap"
	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/membus"
)

// busy has so many callers per instance call until the test ends, each again half
// a second after its answer.
func (c *cluster) busy(t *testing.T, callers int) {
	ctx, stop := context.WithCancel(context.Background())
	var running sync.WaitGroup
	for _, m := range c.members {
		for range callers {
			running.Go(func() {
				for ctx.Err() == nil {
					_, _ = m.call(ctx)
					sleepOr(ctx, 500*time.Millisecond)
				}
			})
		}
	}
	t.Cleanup(func() { stop(); running.Wait() })
}

func sleepOr(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// liar is a primary whose health says UP while its calls hang.
func liar(t *testing.T, n int, s hotswap.Settings) *cluster {
	c := &cluster{log: membus.New(), primary: newUpstream(hangs), fallback: newUpstream(answers("Chat"))}
	for range n {
		c.members = append(c.members, joinWith(t, c.log, s,
			hotswap.Adapter[animal]{Name: "primary", Port: c.primary, Probe: func(context.Context) error { return nil }},
			hotswap.Adapter[animal]{Name: "fallback", Port: c.fallback}))
	}
	c.busy(t, 3)
	return c
}

func TestHealthUpWhileCallsHang(t *testing.T) {
	t.Run("without a hold-down it flaps", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			c := liar(t, 2, hotswap.Settings{})
			time.Sleep(time.Minute)
			if n := len(c.members[0].switched()); n < 10 {
				t.Errorf("%d switches in a minute; the problem to be solved has gone", n)
			}
		})
	})
	t.Run("with one it switches 3 times", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			c := liar(t, 2, hotswap.Settings{HoldDown: time.Minute})
			time.Sleep(time.Minute)
			want := []string{"fallback", "primary", "fallback"}
			for _, m := range c.members {
				if got := m.switched(); !slices.Equal(got, want) {
					t.Errorf("moved to %v in a minute, want %v", got, want)
				}
			}
		})
	})
}

// The hold-down doubles up to its cap, all instances alike, is known to one that
// starts later, and is forgotten after a quiet period.
func TestHoldDownGrowsAndIsForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := hotswap.Settings{HoldDown: 20 * time.Second, HoldDownMax: time.Minute, QuietPeriod: 2 * time.Minute}
		c := liar(t, 2, s)
		var holds []time.Duration
		var until time.Time
		for len(holds) < 5 {
			time.Sleep(time.Second)
			synctest.Wait()
			one, other := c.members[0].Status(), c.members[1].Status()
			if one.HoldDown != other.HoldDown {
				t.Fatalf("one instance holds down for %v, the other for %v", one.HoldDown, other.HoldDown)
			}
			if one.HoldDown > 0 && !one.HeldUntil.Equal(until) {
				holds, until = append(holds, one.HoldDown), one.HeldUntil
			}
		}
		want := []time.Duration{20 * time.Second, 40 * time.Second, time.Minute, time.Minute, time.Minute}
		if !slices.Equal(holds, want) {
			t.Errorf("hold-downs %v, want %v", holds, want)
		}
		late := join(t, c.log, s, c.primary, c.fallback)
		if got, want := late.Status().HoldDown, c.members[0].Status().HoldDown; got != want {
			t.Errorf("one that starts now holds down for %v, the others for %v", got, want)
		}
		c.primary.becomes(answers("Chien"))
		time.Sleep(5 * time.Minute)
		c.allOn(t, "primary")
		c.primary.becomes(hangs)
		time.Sleep(4 * time.Second)
		c.allOn(t, "fallback")
		if h := c.members[0].Status().HoldDown; h != 0 {
			t.Errorf("hold-down %v after a quiet period", h)
		}
	})
}

// A clock of hours ahead must not hold anybody down for hours.
func TestHoldDownOfAFastClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := membus.New()
		for i, target := range []string{"fallback", "primary", "fallback"} {
			_ = log.Connect().Publish(t.Context(), hotswap.AdapterSwitchEvent{ID: string(rune('1' + i)), Origin: "fast",
				Target: target, Time: time.Now().Add(time.Duration(i)*time.Second + 5*time.Hour)})
		}
		up := newUpstream(answers("Chien"))
		m := join(t, log, hotswap.Settings{HoldDown: 30 * time.Second}, up, up)
		m.isOn(t, "fallback")
		if until := m.Status().HeldUntil; time.Until(until) > 30*time.Second {
			t.Errorf("held down for %v", time.Until(until))
		}
		time.Sleep(36 * time.Second)
		m.isOn(t, "primary")
	})
}

// Only one instance's path to the primary is cut, quorum 2 of 4: that one uses
// the fallback for itself, three stay on the primary, the cluster does not switch.
func TestQuorumKeepsTheClusterFromOneBadPath(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t, 3, hotswap.Settings{Quorum: 2})
		bad := newUpstream(fails(err500))
		alone := join(t, c.log, hotswap.Settings{Quorum: 2}, bad, c.fallback)
		alone.must(t, "Chat")
		for range 60 {
			time.Sleep(time.Second)
			alone.isOn(t, "fallback")
			c.allOn(t, "primary")
		}
		if n := switches(c.log); n != 0 || !alone.Status().Alone {
			t.Errorf("%d switches, alone: %v; want none, true", n, alone.Status().Alone)
		}
		if n := len(observed[hotswap.Voted](c.members[0].seen)); n < 10 {
			t.Errorf("%d votes in a minute: it is cast again while the reason lasts", n)
		}
		bad.becomes(answers("Chien"))
		time.Sleep(6 * time.Second)
		alone.isOn(t, "primary")
		if alone.Status().Alone || switches(c.log) != 0 {
			t.Errorf("alone: %v, switches: %d after the return", alone.Status().Alone, switches(c.log))
		}
		for _, v := range observed[hotswap.Voted](c.members[0].seen) {
			if v.Votes != 1 || v.Quorum != 2 || v.Own || v.Event.Origin != alone.ID() {
				t.Errorf("told of %+v", v)
			}
		}
		if n := len(observed[hotswap.Ignored](c.members[0].seen)); n != 0 {
			t.Errorf("%d entries are said to be ignored", n)
		}

		// The vote was taken back: another's does not complete a quorum.
		c.primary.becomes(fails(err500))
		c.members[0].must(t, "Chat")
		synctest.Wait()
		c.members[1].isOn(t, "primary")
		// A second one's does.
		c.members[1].must(t, "Chat")
		synctest.Wait()
		c.allOn(t, "fallback")
		alone.isOn(t, "fallback")
		if alone.Status().Alone || c.members[0].Status().Alone {
			t.Error("an instance is said to be alone where all are")
		}
	})
}

// Eight instances with 100 callers each at recovery: before the broadcast the
// primary sees one canary's requests, and then no herd.
func TestRecoveryIsNoThunderingHerd(t *testing.T) {
	firstSecond := func(t *testing.T, s hotswap.Settings) (before, after int64) {
		c := newCluster(t, 8, s)
		c.leave(t)
		c.busy(t, 100)
		time.Sleep(time.Second)
		n := switches(c.log)
		asked := c.primary.asked.Load()
		c.primary.becomes(answers("Chien"))
		for switches(c.log) == n {
			time.Sleep(time.Millisecond)
		}
		before = c.primary.asked.Load() - asked
		time.Sleep(time.Second)
		after = c.primary.asked.Load() - asked
		time.Sleep(10 * time.Second)
		c.allOn(t, "primary")
		return before, after
	}
	synctest.Test(t, func(t *testing.T) {
		_, after := firstSecond(t, hotswap.Settings{})
		if after < 800 {
			t.Errorf("%d requests in the first second without the settings; the problem to be solved has gone", after)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		before, after := firstSecond(t, hotswap.Settings{OneProber: true, Canary: 5, Ramp: 10 * time.Second,
			CanaryCall: func(ctx context.Context, port any) error {
				_, err := port.(animal).Ask(ctx)
				time.Sleep(100 * time.Millisecond)
				return err
			}})
		// The prober's own callers may be back within the millisecond of the look.
		if before > 5+100 || after > 1405 {
			t.Errorf("%d requests before the broadcast, %d within a second after it", before, after)
		}
	})
}

// One instance is configured with another quorum: the log folds alike, and each
// says once that the other differs.
func TestQuorumMismatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t, 2, hotswap.Settings{Quorum: 3})
		other := join(t, c.log, hotswap.Settings{Quorum: 2}, c.primary, c.fallback)
		c.primary.becomes(fails(err500))
		other.must(t, "Chat")
		c.members[0].must(t, "Chat")
		time.Sleep(10 * time.Second) // votes are cast again
		c.allOn(t, "fallback")
		other.isOn(t, "fallback")
		if a, b := other.Status().Log, c.members[1].Status().Log; a.ID != b.ID || a.Position != b.Position {
			t.Errorf("the log folds to %+v and to %+v", a, b)
		}
		got := observed[hotswap.QuorumMismatch](c.members[1].seen)
		want := hotswap.QuorumMismatch{Origin: other.ID(), Theirs: 2, Ours: 3}
		if !slices.Equal(got, []hotswap.QuorumMismatch{want}) {
			t.Errorf("told of %+v, want %+v once", got, want)
		}
		if n := len(observed[hotswap.QuorumMismatch](other.seen)); n != 1 {
			t.Errorf("the other was told %d times, want once: only one of the two voted", n)
		}
	})
}

// An instance without a quorum decides for all; those with one say so.
func TestAnInstanceWithoutAQuorumIsAMismatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t, 2, hotswap.Settings{Quorum: 2})
		plain := join(t, c.log, hotswap.Settings{}, c.primary, c.fallback)
		c.primary.becomes(fails(err500))
		plain.must(t, "Chat")
		synctest.Wait()
		c.allOn(t, "fallback")
		got := observed[hotswap.QuorumMismatch](c.members[0].seen)
		if want := (hotswap.QuorumMismatch{Origin: plain.ID(), Theirs: 1, Ours: 2}); !slices.Equal(got, []hotswap.QuorumMismatch{want}) {
			t.Errorf("told of %+v, want %+v", got, want)
		}
	})
}

// A pin during an outage survives a broker that restarts, with its log or with
// an empty one, and instances that start; its release lets the cluster go back.
func TestAPinDuringAnOutage(t *testing.T) {
	for name, restart := range map[string]func(*cluster){
		"the log is kept": func(c *cluster) {
			for _, m := range c.members {
				m.conn.Cut()
			}
			synctest.Wait()
			time.Sleep(10 * time.Second)
			for _, m := range c.members {
				m.conn.Mend()
			}
		},
		"the log is lost": func(c *cluster) { c.log.Replace() },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newCluster(t, 3, hotswap.Settings{})
				c.leave(t)
				if err := c.members[1].Switch("fallback", true); err != nil {
					t.Fatal(err)
				}
				c.primary.becomes(answers("Chien"))
				time.Sleep(20 * time.Second)
				c.allOn(t, "fallback")
				restart(c)
				time.Sleep(20 * time.Second)
				c.members = append(c.members, join(t, c.log, hotswap.Settings{}, c.primary, c.fallback))
				time.Sleep(20 * time.Second)
				c.allOn(t, "fallback")
				for _, m := range c.members {
					if !m.Status().Pinned {
						t.Error("an instance does not know of the pin")
					}
				}
				if err := c.members[3].Release(); err != nil {
					t.Fatal(err)
				}
				time.Sleep(6 * time.Second)
				c.allOn(t, "primary")
			})
		})
	}
}

// A peer without these settings follows: it is told by plain switches alone. And
// one in Java, which knows nothing else, ends where the others are.
func TestPlainPeersFollow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := hotswap.Settings{Quorum: 2, OneProber: true, Ramp: 10 * time.Second, HoldDown: 10 * time.Second}
		c := newCluster(t, 3, s)
		plain := join(t, c.log, hotswap.Settings{}, c.primary, c.fallback)
		java := func() (target string) {
			for _, e := range c.log.Entries() {
				if e.Event.Kind == hotswap.KindSwitch {
					target = e.Event.Target
				}
			}
			return target
		}
		c.primary.becomes(fails(err500))
		c.members[0].must(t, "Chat")
		c.members[1].must(t, "Chat")
		time.Sleep(time.Second)
		c.allOn(t, "fallback")
		plain.isOn(t, "fallback")
		if java() != "fallback" {
			t.Errorf("a peer that counts no votes was told of %q", java())
		}
		c.primary.becomes(answers("Chien"))
		time.Sleep(20 * time.Second)
		c.allOn(t, "primary")
		plain.isOn(t, "primary")

		// The Java peer detects, and the others follow.
		_ = c.log.Connect().Publish(t.Context(), hotswap.AdapterSwitchEvent{ID: "j", Origin: "java", Target: "fallback", Time: time.Now()})
		synctest.Wait()
		c.allOn(t, "fallback")
		plain.isOn(t, "fallback")
		time.Sleep(time.Minute)
		c.allOn(t, "primary")

		// Against a pin its own decision does not hold: it is told what does.
		if err := c.members[0].Switch("primary", true); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		_ = c.log.Connect().Publish(t.Context(), hotswap.AdapterSwitchEvent{ID: "k", Origin: "java", Target: "fallback", Time: time.Now()})
		synctest.Wait()
		c.allOn(t, "primary")
		if java() != "primary" {
			t.Errorf("the Java peer was left on %q", java())
		}
	})
}

// Split-brain: an instance that is cut off says so, decides alone, and says when
// it is back. What it decided stands if the others stayed, and gives way if not.
func TestACutOffInstanceSaysSo(t *testing.T) {
	for name, othersMove := range map[string]bool{"the others stayed": false, "the others moved on": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newCluster(t, 3, hotswap.Settings{})
				off := c.members[2]
				off.conn.Cut()
				synctest.Wait()
				if lost := observed[hotswap.BusLost](off.seen); len(lost) != 1 || !errors.Is(lost[0].Err, membus.ErrCut) || off.Status().Connected {
					t.Errorf("lost: %+v, connected: %v", lost, off.Status().Connected)
				}
				if othersMove {
					if err := c.members[0].Switch("primary", true); err != nil {
						t.Fatal(err)
					}
				}
				c.primary.becomes(fails(err500))
				off.must(t, "Chat")
				synctest.Wait()
				c.members[0].isOn(t, "primary")
				if !off.Status().Pending {
					t.Error("the decision is not said to be on its way")
				}
				off.conn.Mend()
				synctest.Wait()
				if n := len(observed[hotswap.BusRegained](off.seen)); n != 1 || !off.Status().Connected {
					t.Errorf("regained %d times, connected: %v", n, off.Status().Connected)
				}
				want := "fallback"
				if othersMove {
					want = "primary"
				}
				c.allOn(t, want)
			})
		})
	}
}
