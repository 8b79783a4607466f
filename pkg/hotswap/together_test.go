package hotswap_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/hotswap"
	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/membus"
)

// The properties of the log are proven without goroutines (invariants_test.go).
// Here whole instances run, with their callers, probes, canaries and ramps in
// virtual time.

// event is something that happens to one instance or to all, after a pause.
type event struct {
	pause time.Duration
	what  string
	who   int
}

func (e event) GoString() string { return fmt.Sprintf("%v:%s(%d)", e.pause, e.what, e.who) }

var happenings = map[string]func(*together, *member){
	"primary hangs":     func(w *together, _ *member) { w.primary.becomes(hangs) },
	"primary fails":     func(w *together, _ *member) { w.primary.becomes(fails(err500)) },
	"primary recovers":  func(w *together, _ *member) { w.primary.becomes(answers("Chien")) },
	"fallback fails":    func(w *together, _ *member) { w.fallback.becomes(fails(err500)) },
	"fallback recovers": func(w *together, _ *member) { w.fallback.becomes(answers("Chat")) },
	"cut":               func(_ *together, m *member) { m.conn.Cut() },
	"freeze":            func(_ *together, m *member) { m.conn.Freeze() },
	"mend":              func(_ *together, m *member) { m.conn.Mend() },
	"lose confirms":     func(_ *together, m *member) { m.conn.LoseConfirms(true) },
	"confirm":           func(_ *together, m *member) { m.conn.LoseConfirms(false) },
	"replace the log":   func(w *together, _ *member) { w.log.Replace() },
	"die":               func(_ *together, m *member) { go m.Close() },
	"start":             func(w *together, _ *member) { w.start() },
	"manual":            func(_ *together, m *member) { _ = m.Switch("fallback", false) },
	"pin":               func(_ *together, m *member) { _ = m.Switch("fallback", true) },
	"release":           func(_ *together, m *member) { _ = m.Release() },
	"call":              func(w *together, m *member) { w.call(m) },
	"Java detects": func(w *together, _ *member) {
		w.born++
		_ = w.log.Connect().Publish(context.Background(), hotswap.AdapterSwitchEvent{
			ID: fmt.Sprint("java", w.born), Origin: "java", Target: "fallback", Time: time.Now()})
	},
}

type together struct {
	cluster
	t        *testing.T
	settings []hotswap.Settings
	born     int
}

func (w *together) start() {
	s := w.settings[w.born%len(w.settings)]
	w.born++
	s.CanaryCall = func(ctx context.Context, port any) error {
		_, err := port.(animal).Ask(ctx)
		return err
	}
	w.members = append(w.members, join(w.t, w.log, s, w.primary, w.fallback))
}

// call has an instance called, in the background, and in bounds.
func (w *together) call(m *member) {
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		_, _ = m.call(ctx)
	}()
}

// play runs a schedule, heals everything, and returns what is wrong then.
func (w *together) play(schedule []event) string {
	for range w.settings {
		w.start()
	}
	for _, e := range schedule {
		for _, m := range w.members {
			w.call(m)
		}
		time.Sleep(e.pause)
		happenings[e.what](w, w.members[e.who%len(w.members)])
	}
	w.primary.becomes(answers("Chien"))
	w.fallback.becomes(answers("Chat"))
	for _, m := range w.members {
		m.conn.Mend()
		m.conn.LoseConfirms(false)
	}
	time.Sleep(5 * time.Minute)
	return w.disagreement()
}

// disagreement says who is not where the log is, or that the log is not where it
// ought to be: on the primary, unless an operator holds it.
func (w *together) disagreement() string {
	var s hotswap.State
	for _, e := range w.log.Entries() {
		s, _ = hotswap.Fold(s, e.Position, e.Event)
	}
	want := s.Adapter
	if want == "" {
		want = "primary"
	}
	if want != "primary" && !s.Pinned && w.alive() > 0 {
		return fmt.Sprintf("the log is on %q, which nobody pinned", want)
	}
	for i, m := range w.members {
		st := m.Status()
		if _, err := m.call(context.Background()); err == nil && (st.Active != want || st.Pending || st.Alone || st.Ramping) {
			return fmt.Sprintf("instance %d is at %+v, the log on %q", i, st, want)
		}
	}
	return ""
}

func (w *together) alive() (n int) {
	for _, m := range w.members {
		if m.Switch("?", false) != hotswap.ErrClosed {
			n++
		}
	}
	return n
}

// I1 and I9 with all settings drawn at random, each instance its own.
func TestI1_WholeInstances(t *testing.T) {
	names := make([]string, 0, len(happenings))
	for name := range happenings {
		names = append(names, name)
	}
	slices.Sort(names)
	happens := rapid.Custom(func(t *rapid.T) event {
		return event{
			time.Duration(rapid.IntRange(0, 8000).Draw(t, "ms")) * time.Millisecond,
			rapid.SampledFrom(names).Draw(t, "what"),
			rapid.IntRange(0, 4).Draw(t, "who"),
		}
	})
	hotswap.Schedules(t, 500, func(rt *rapid.T) {
		settings := rapid.SliceOfN(rapid.Custom(randomSettings), 1, 4).Draw(rt, "settings")
		schedule := append(rapid.SliceOfN(happens, 0, 20).Draw(rt, "first"), rapid.SliceOfN(happens, 0, 20).Draw(rt, "then")...)
		wrong := ""
		synctest.Test(t, func(t *testing.T) {
			w := &together{t: t, settings: settings}
			w.log, w.primary, w.fallback = membus.New(), newUpstream(answers("Chien")), newUpstream(answers("Chat"))
			wrong = w.play(schedule)
		})
		if wrong != "" {
			rt.Fatal(wrong)
		}
	})
}

func randomSettings(t *rapid.T) hotswap.Settings {
	seconds := func(name string, least, most int) time.Duration {
		return time.Duration(rapid.IntRange(least, most).Draw(t, name)) * time.Second
	}
	return hotswap.Settings{
		TimeoutJitter: seconds("timeout jitter", 0, 2),
		Trip:          hotswap.Trip{Failures: rapid.IntRange(1, 3).Draw(t, "failures")},
		Quorum:        rapid.IntRange(1, 3).Draw(t, "quorum"),
		QuorumWindow:  seconds("window", 9, 20),
		OneProber:     rapid.Bool().Draw(t, "one prober"),
		Canary:        rapid.IntRange(0, 3).Draw(t, "canary"),
		Ramp:          seconds("ramp", 0, 20),
		HoldDown:      seconds("hold-down", 0, 20),
		HoldDownMax:   time.Minute,
		QuietPeriod:   seconds("quiet", 30, 60),
	}
}
