package hotswap_test

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/hotswap"
	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/membus"
)

// Ten calls are held on the primary while the cluster goes away and back, then
// all ten fail: no new switch.
func TestTenCallsFailAfterSwitchAndBack_NoNewSwitch(t *testing.T) {
	for mode, name := range []string{"repeatable", "at least once", "at most once"} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				log := membus.New()
				gate := make(chan struct{})
				primary := newUpstream(deaf(gate, fails(err500)))
				m := join(t, log, hotswap.Settings{}, primary, newUpstream(answers("Chat")))
				var held sync.WaitGroup
				for range 10 {
					held.Go(func() { _, _ = hotswap.Call(t.Context(), m.Instance, hotswap.Mode(mode), ask) })
				}
				synctest.Wait()
				awayAndBack(t, m)
				primary.becomes(answers("Chien"))
				close(gate)
				held.Wait()
				synctest.Wait()
				m.isOn(t, "primary")
				if n := switches(log); n != 2 {
					t.Errorf("%d switches in the log, want the operator's two alone", n)
				}
				for _, f := range observed[hotswap.Failed](m.seen) {
					if !f.Stale || f.InRow != 0 {
						t.Errorf("counted %+v", f)
					}
				}
			})
		})
	}
}

func awayAndBack(t *testing.T, m *member) {
	t.Helper()
	for _, target := range []string{"fallback", "primary"} {
		if err := m.Switch(target, false); err != nil {
			t.Fatal(err)
		}
		synctest.Wait() // until the log has it: the outbox keeps the newest only
	}
}

// A success from before the switch and the way back does not end a row of
// failures of now; one of now does.
func TestResultAfterTheSwitchBack_ChangesNothing(t *testing.T) {
	for _, test := range []struct {
		name   string
		stale  bool
		active string
	}{
		{"from an earlier activation", true, "fallback"},
		{"from this activation", false, "primary"},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				gate := make(chan struct{})
				primary := newUpstream(deaf(gate, answers("Chien")))
				m := join(t, membus.New(), hotswap.Settings{Trip: hotswap.Trip{Failures: 2}}, primary, newUpstream(answers("Chat")))
				if !test.stale {
					awayAndBack(t, m)
				}
				var held sync.WaitGroup
				held.Go(func() { m.must(t, "Chien") })
				synctest.Wait()
				if test.stale {
					awayAndBack(t, m)
				}
				primary.becomes(fails(err500))
				m.must(t, "Chat") // one failure in a row
				close(gate)
				held.Wait()
				m.must(t, "Chat") // two, if nothing came between
				m.isOn(t, test.active)
			})
		})
	}
}

// Of many failures of one activation the first decides.
func TestManyFailuresAtOnce_OneDecision(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := membus.New()
		m := join(t, log, hotswap.Settings{}, newUpstream(hangs), newUpstream(answers("Chat")))
		var calls sync.WaitGroup
		for range 100 {
			calls.Go(func() { m.must(t, "Chat") })
		}
		calls.Wait()
		synctest.Wait()
		if n := len(observed[hotswap.Decided](m.seen)); n != 1 || switches(log) != 1 {
			t.Errorf("%d decisions, %d entries; want one of each", n, switches(log))
		}
	})
}

// The instance that switched the cluster dies; another brings it back.
func TestTheInstanceThatSwitchedDies_AnotherBringsTheClusterBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := membus.New()
		primary, fallback := newUpstream(fails(err500)), newUpstream(answers("Chat"))
		var members []*member
		for range 3 {
			members = append(members, join(t, log, hotswap.Settings{}, primary, fallback))
		}
		members[0].must(t, "Chat")
		synctest.Wait()
		if err := members[0].Close(); err != nil {
			t.Fatal(err)
		}
		primary.becomes(answers("Chien"))
		time.Sleep(6 * time.Second)
		for _, m := range members[1:] {
			m.must(t, "Chien")
		}
		if n := switches(log); n != 2 {
			t.Errorf("%d switches in the log, want one there and one back", n)
		}
	})
}

// A switch to an adapter that nobody has is an error and changes nothing.
func TestUnknownTarget_ErrorAndNothingChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := membus.New()
		m := join(t, log, hotswap.Settings{}, newUpstream(answers("Chien")), newUpstream(answers("Chat")))
		for _, target := range []string{"tertiary", "", "Primary", "fallback "} {
			err := m.Switch(target, true)
			wantError(t, err, hotswap.ErrUnknownAdapter, target, "primary", "fallback")
		}
		neutral(t, m, log)
		if s := m.Status(); s.Pinned || s.Epoch != 1 {
			t.Errorf("status is %+v", s)
		}
	})
}
