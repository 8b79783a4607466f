package hotswap

import (
	"flag"
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// step is one thing that happens to the instance Who. It prints as Go code, so
// that a failing schedule reads like a story.
type step struct {
	op  op
	who int
	arg int
}

type op string

func (s step) GoString() string { return fmt.Sprintf("%s(%d, %d)", s.op, s.who, s.arg) }

// ops says what each step does.
var ops = map[op]func(w *world, n *node, arg int){
	"fail": func(w *world, n *node, _ int) {
		if n.link != down {
			n.failed(n.active(), "timeout")
		}
	},
	"failFirst": func(w *world, n *node, _ int) {
		if n.link != down && n.active().index == 0 {
			n.failed(n.active(), "timeout")
		}
	},
	"lateFailure": func(w *world, n *node, arg int) {
		if len(n.activated) > 1 {
			w.unchanged(n, func() { n.failed(n.activated[arg%(len(n.activated)-1)], "late") })
		}
	},
	"recover": func(w *world, n *node, arg int) {
		if i := n.active().index; i > 0 && n.link != down {
			n.recovered(n.registry.Epoch(), n.registry.adapters[arg%i].Name)
		}
	},
	"lateRecovery": func(w *world, n *node, arg int) {
		if len(n.activated) > 1 {
			w.unchanged(n, func() { n.recovered(n.activated[arg%(len(n.activated)-1)].epoch, "a") })
		}
	},
	"probeFails": func(_ *world, n *node, _ int) {
		if n.link != down {
			n.renewVote()
		}
	},
	"manual": func(w *world, n *node, arg int) {
		if n.link != down {
			_ = n.manual(n.registry.adapters[arg%3].Name, arg%2 == 0)
		}
	},
	"release":    func(_ *world, n *node, _ int) { n.release() },
	"send":       func(w *world, n *node, arg int) { w.send(n, arrives) },
	"sendBadly":  func(w *world, n *node, arg int) { w.send(n, fate(arg)%fates) },
	"land":       func(w *world, n *node, _ int) { w.land(n) },
	"read":       func(w *world, n *node, arg int) { w.bring(n, 1+arg%4) },
	"cut":        func(w *world, n *node, _ int) { w.disconnect(n) },
	"heal":       func(w *world, n *node, _ int) { w.connect(n) },
	"crash":      func(w *world, n *node, _ int) { w.crash(n) },
	"restart":    func(w *world, n *node, _ int) { w.restart(n) },
	"truncate":   func(w *world, _ *node, _ int) { w.truncate() },
	"replaceLog": func(w *world, _ *node, _ int) { w.replace() },
	"foreign":    func(w *world, _ *node, arg int) { w.append(foreign(len(w.log), arg)) },
	"duplicate": func(w *world, _ *node, arg int) {
		if len(w.log) > 0 {
			w.append(w.log[arg%len(w.log)].event)
		}
	},
	"wait": func(w *world, _ *node, arg int) { w.clock += time.Duration(arg) * time.Second },
	"turn": func(_ *world, n *node, _ int) { n.finishRamp() },
	"claim": func(w *world, n *node, _ int) {
		if n.link != down {
			if e, settled := n.claimEvent(); settled != nil {
				w.append(e)
			}
		}
	},
}

// foreign is a switch of a peer that keeps no log: it has no After. One in four
// names an adapter that nobody has.
func foreign(n, arg int) AdapterSwitchEvent {
	target := []string{"a", "b", "c", "?"}[arg%4]
	if target == "?" {
		target = "a"
	}
	return AdapterSwitchEvent{ID: fmt.Sprint("foreign-", n, "-", arg), Origin: "java", Target: target, Time: time.Now()}
}

// unchanged checks that f changes nothing and says nothing: I4.
func (w *world) unchanged(n *node, f func()) {
	type seen struct {
		epoch   uint64
		pending *decision
		alone   bool
		notes   int
	}
	look := func() seen { return seen{n.registry.Epoch(), n.pending, n.alone, len(n.notes)} }
	before := look()
	f()
	if after := look(); after != before {
		w.t.Errorf("instance %d: a result of an earlier activation changed %+v to %+v", n.name, before, after)
	}
}

// do takes a step and notes the activations that came of it.
func (w *world) do(s step) {
	n := w.nodes[s.who%len(w.nodes)]
	ops[s.op](w, n, s.arg)
	for _, n := range w.nodes {
		if a := n.active(); n.activated[len(n.activated)-1] != a {
			n.activated = append(n.activated, a)
		}
	}
}

// run takes the steps of a schedule.
func (w *world) run(schedule []step) {
	for _, s := range schedule {
		w.do(s)
		w.checkStanding()
	}
}

// steps draws a schedule of the given kinds of steps, weighted by how often a
// kind is named. Schedules have some 40 steps.
func steps(kinds ...op) *rapid.Generator[[]step] {
	one := rapid.Custom(func(t *rapid.T) step {
		return step{
			rapid.SampledFrom(kinds).Draw(t, "op"),
			rapid.IntRange(0, 3).Draw(t, "who"),
			rapid.IntRange(0, 11).Draw(t, "arg"),
		}
	})
	part := rapid.SliceOfN(one, 0, 12)
	return rapid.Custom(func(t *rapid.T) (all []step) {
		for range 8 {
			all = append(all, part.Draw(t, "part")...)
		}
		return all
	})
}

// drawn is what is drawn of an instance's settings. It prints small.
type drawn struct {
	Quorum, Window         int // Window in seconds
	Ramp, HoldDown, Prober bool
}

func (d drawn) settings() Settings {
	s := Settings{Quorum: d.Quorum, QuorumWindow: time.Duration(d.Window) * time.Second, OneProber: d.Prober}
	if d.Ramp {
		s.Ramp = time.Hour // it ends by a step
	}
	if d.HoldDown {
		s.HoldDown = time.Minute
	}
	return s
}

// clusters draws the settings of so many instances, each its own.
func clusters(least, most int) *rapid.Generator[[]drawn] {
	one := rapid.Custom(func(t *rapid.T) drawn {
		flags := rapid.IntRange(0, 7).Draw(t, "flags")
		return drawn{
			Quorum: rapid.IntRange(1, 3).Draw(t, "quorum"),
			Window: rapid.IntRange(5, 20).Draw(t, "window"),
			Ramp:   flags&1 > 0, HoldDown: flags&2 > 0, Prober: flags&4 > 0,
		}
	})
	return rapid.SliceOfN(one, least, most)
}

// schedules runs a property on so many schedules, whatever the flags say. Under
// the race detector a tenth has to do: most have no goroutines for it to watch.
func schedules(t *testing.T, n int, property func(*rapid.T)) {
	t.Helper()
	if raceDetector {
		n = max(1, n/10)
	}
	for name, value := range map[string]string{"rapid.checks": fmt.Sprint(n), "rapid.nofailfile": "true"} {
		f := flag.Lookup(name).Value
		before := f.String()
		defer func() { _ = f.Set(before) }()
		if err := f.Set(value); err != nil {
			t.Fatal(err)
		}
	}
	rapid.Check(t, property)
}

// Schedules is schedules for the tests outside the package.
var Schedules = schedules
