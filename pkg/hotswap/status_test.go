package hotswap_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/hotswap"
	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/membus"
)

func TestStatus(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := membus.New()
		primary := newUpstream(answers("Chien"))
		m := join(t, log, hotswap.Settings{ID: "one", HoldDown: time.Minute}, primary, newUpstream(answers("Chat")))
		is := func(what string, ok func(hotswap.Status) bool) {
			t.Helper()
			synctest.Wait()
			if s := m.Status(); !ok(s) {
				t.Errorf("%s: %+v", what, s)
			}
		}
		is("at the start", func(s hotswap.Status) bool {
			return s.ID == "one" && s.Active == "primary" && s.Epoch == 1 && s.Connected && s.Log.Adapter == "" &&
				!s.Pending && !s.Alone && !s.Ramping && !s.Pinned && s.HoldDown == 0 && s.HeldUntil.IsZero()
		})
		_ = m.Switch("fallback", true)
		is("pinned by hand", func(s hotswap.Status) bool {
			return s.Active == "fallback" && s.Epoch == 2 && s.Pinned && s.Log.Adapter == "fallback" && s.Log.Position > 0 && !s.Pending
		})
		_ = m.Release()
		is("released", func(s hotswap.Status) bool { return s.Active == "fallback" && !s.Pinned })
		m.conn.Cut()
		_ = m.Switch("primary", false)
		is("cut off, with a decision to tell", func(s hotswap.Status) bool {
			return !s.Connected && s.Pending && s.Active == "primary" && s.Log.Adapter == "fallback"
		})
		m.conn.Mend()
		time.Sleep(5 * time.Second) // longer than the outbox rests
		is("told", func(s hotswap.Status) bool { return s.Connected && !s.Pending && s.Log.Adapter == "primary" })
		primary.becomes(fails(err500))
		left := time.Now()
		m.must(t, "Chat")
		is("held down, for having failed again", func(s hotswap.Status) bool {
			return s.HoldDown == time.Minute && s.HeldUntil.Equal(left.Add(time.Minute))
		})
	})
}

// A release without a pin does nothing.
func TestRelease_WithoutAPin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := membus.New()
		m := join(t, log, hotswap.Settings{}, newUpstream(answers("Chien")), newUpstream(answers("Chat")))
		if err := m.Release(); err != nil {
			t.Error(err)
		}
		neutral(t, m, log)
	})
}

func TestStatus_AloneAndRamping(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := membus.New()
		primary, fallback := newUpstream(fails(err500)), newUpstream(answers("Chat"))
		s := hotswap.Settings{Quorum: 2, Ramp: time.Hour}
		one, two := join(t, log, s, primary, fallback), join(t, log, s, primary, fallback)
		one.must(t, "Chat")
		synctest.Wait()
		if s := one.Status(); !s.Alone || s.Log.Adapter != "" {
			t.Errorf("alone: %+v", s)
		}
		two.must(t, "Chat")
		synctest.Wait()
		if s := one.Status(); s.Alone || s.Log.Adapter != "fallback" {
			t.Errorf("no longer alone: %+v", s)
		}
		primary.becomes(answers("Chien"))
		time.Sleep(6 * time.Second) // one of them probes first and is back; the other waits for its turn
		if a, b := one.Status(), two.Status(); a.Ramping == b.Ramping || a.Active == b.Active {
			t.Errorf("ramping: %+v, %+v", a, b)
		}
	})
}
