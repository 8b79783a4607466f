package hotswap_test

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/hotswap"
)

// onPrimary counts the instances that are back.
func (c *cluster) onPrimary() (n int) {
	for _, m := range c.members {
		if m.Registry().ActiveName() == "primary" {
			n++
		}
	}
	return n
}

// comeBack waits until the first instance is back on a healthy primary.
func (c *cluster) comeBack() {
	c.primary.becomes(answers("Chien"))
	for c.onPrimary() == 0 {
		time.Sleep(10 * time.Millisecond)
	}
}

func TestARampSpreadsTheReturn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t, 40, hotswap.Settings{Ramp: 10 * time.Second, OneProber: true})
		c.leave(t)
		c.comeBack()
		var counts []int
		for range 10 {
			counts = append(counts, c.onPrimary())
			time.Sleep(time.Second)
		}
		counts = append(counts, c.onPrimary())
		if counts[0] > 3 || counts[5] < 10 || counts[5] > 30 || counts[10] != 40 {
			t.Errorf("instances back at each second: %v, want a steady growth from 1 to 40", counts)
		}
		for _, m := range c.members {
			if got := m.switched(); !slices.Equal(got, []string{"fallback", "primary"}) {
				t.Errorf("moved to %v", got)
			}
		}
	})
}

func TestAFailureDuringTheRampCallsItOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t, 20, hotswap.Settings{Ramp: 10 * time.Second, OneProber: true})
		c.leave(t)
		c.comeBack()
		waiting := 0
		var back *member
		for _, m := range c.members {
			if m.Status().Ramping {
				waiting++
			} else {
				back = m
			}
		}
		if waiting < 15 {
			t.Fatalf("%d of 20 wait for their turn", waiting)
		}
		c.primary.becomes(fails(err500))
		back.must(t, "Chat")
		synctest.Wait()
		before := 0
		for _, m := range c.members {
			if m.Status().Ramping {
				t.Error("an instance still waits for its turn")
			}
			before += len(m.switched())
		}
		c.allOn(t, "fallback")
		time.Sleep(4 * time.Second) // up to the next probe
		after := 0
		for _, m := range c.members {
			after += len(m.switched())
		}
		if after != before {
			t.Errorf("%d moves after the ramp was called off", after-before)
		}
	})
}

// An instance that waits for its turn is on an adapter that the cluster has left:
// when that one fails it goes back at once, and decides nothing.
func TestAFailureOfTheAdapterThatTheRampLeavesEndsTheWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &cluster{primary: newUpstream(answers("Chien"))}
		c.log = newCluster(t, 0, hotswap.Settings{}).log
		second := newUpstream(answers("Chat"))
		for range 8 {
			c.members = append(c.members, joinWith(t, c.log, hotswap.Settings{Ramp: time.Minute, OneProber: true},
				hotswap.Adapter[animal]{Name: "primary", Port: c.primary, Probe: c.primary.Health},
				hotswap.Adapter[animal]{Name: "second", Port: second},
				hotswap.Adapter[animal]{Name: "third", Port: newUpstream(answers("Cheval"))}))
		}
		c.primary.becomes(fails(err500))
		c.members[0].must(t, "Chat")
		synctest.Wait()
		c.comeBack()
		n := switches(c.log)
		second.becomes(fails(err500))
		for _, m := range c.members {
			m.must(t, "Chien")
		}
		c.allOn(t, "primary")
		if m := switches(c.log) - n; m != 0 {
			t.Errorf("%d new decisions, want none", m)
		}
	})
}

// A reconnection is no reason to skip the wait, nor to wait afresh; a manual
// switch is.
func TestARampAndItsInterruptions(t *testing.T) {
	ramping := func(t *testing.T) (*cluster, *member) {
		c := newCluster(t, 8, hotswap.Settings{Ramp: time.Minute, OneProber: true})
		c.leave(t)
		c.comeBack()
		for _, m := range c.members {
			if m.Status().Ramping {
				return c, m
			}
		}
		t.Fatal("nobody waits")
		return nil, nil
	}
	t.Run("reconnection", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			_, m := ramping(t)
			before := len(observed[hotswap.Received](m.seen))
			m.conn.Cut()
			synctest.Wait()
			m.conn.Mend()
			synctest.Wait()
			if n := len(observed[hotswap.Received](m.seen)); !m.Status().Ramping || n != before {
				t.Errorf("waits: %v, received %d switches; want true, and the %d of before", m.Status().Ramping, n, before)
			}
			time.Sleep(time.Minute)
			m.isOn(t, "primary")
		})
	})
	t.Run("manual switch to where it goes", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			_, m := ramping(t)
			if err := m.Switch("primary", false); err != nil {
				t.Fatal(err)
			}
			m.isOn(t, "primary")
		})
	})
	t.Run("manual switch to where it is", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			c, m := ramping(t)
			if err := m.Switch("fallback", true); err != nil {
				t.Fatal(err)
			}
			time.Sleep(2 * time.Minute)
			c.allOn(t, "fallback")
		})
	})
	t.Run("unpinned switch to where it is", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			c, m := ramping(t)
			if err := m.Switch("fallback", false); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			c.allOn(t, "fallback")
		})
	})
	t.Run("close", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			_, m := ramping(t)
			if err := m.Close(); err != nil {
				t.Fatal(err)
			}
			time.Sleep(2 * time.Minute)
			m.isOn(t, "fallback")
		})
	})
}

// A ramp is for those who come back together: one that starts goes to the
// cluster's adapter at once.
func TestAStartDoesNotWaitForARamp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t, 2, hotswap.Settings{Ramp: time.Hour, OneProber: true})
		c.leave(t)
		c.comeBack()
		m := join(t, c.log, hotswap.Settings{Ramp: time.Hour}, c.primary, c.fallback)
		if m.isOn(t, "primary"); m.Status().Ramping {
			t.Error("it waits for its turn")
		}
	})
}
