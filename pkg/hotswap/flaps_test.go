package hotswap

import (
	"testing"
	"time"
)

// Each move is to the preferred adapter ("back"), off it ("away") or off it by an
// operator ("by hand"), so many seconds after the one before.
func TestHoldDown(t *testing.T) {
	type move struct {
		after int
		what  string
		hold  time.Duration // the hold-down after it
	}
	settings := &Settings{HoldDown: 10 * time.Second, HoldDownMax: 60 * time.Second, QuietPeriod: 300 * time.Second}
	s := time.Second
	for name, moves := range map[string][]move{
		"the first failure holds nobody": {{0, "away", 0}},
		"it doubles up to the cap": {{0, "away", 0}, {5, "back", 0}, {3, "away", 10 * s}, {10, "back", 10 * s},
			{3, "away", 20 * s}, {20, "back", 20 * s}, {3, "away", 40 * s}, {40, "back", 40 * s}, {3, "away", 60 * s},
			{60, "back", 60 * s}, {3, "away", 60 * s}},
		"a quiet period forgets it":                   {{0, "away", 0}, {5, "back", 0}, {3, "away", 10 * s}, {10, "back", 10 * s}, {300, "away", 0}},
		"a shorter one does not":                      {{0, "away", 0}, {5, "back", 0}, {3, "away", 10 * s}, {10, "back", 10 * s}, {299, "away", 20 * s}},
		"being told twice is no flap":                 {{0, "away", 0}, {1, "away", 0}, {5, "back", 0}, {1, "back", 0}, {3, "away", 10 * s}, {1, "away", 10 * s}},
		"the quiet period begins once":                {{0, "away", 0}, {5, "back", 0}, {299, "back", 0}, {1, "away", 0}},
		"an operator's move is no flap":               {{0, "away", 0}, {5, "back", 0}, {3, "by hand", 0}, {3, "back", 0}},
		"a failure after an operator's return is one": {{0, "by hand", 0}, {5, "back", 0}, {3, "away", 10 * s}},
	} {
		t.Run(name, func(t *testing.T) {
			var f flaps
			at := noon
			for i, m := range moves {
				at = at.Add(time.Duration(m.after) * s)
				f.note(m.what == "back", m.what == "by hand", at, settings)
				if got := f.holdDown(settings); got != m.hold {
					t.Errorf("after move %d (%s): %v, want %v", i+1, m.what, got, m.hold)
				}
			}
		})
	}
}

func TestNoHoldDownUnlessSet(t *testing.T) {
	f := flaps{level: 3, away: true}
	if got := f.holdDown(&Settings{HoldDownMax: time.Minute}); got != 0 {
		t.Errorf("hold-down %v, want none", got)
	}
}

// A cap of several years must not overflow.
func TestHoldDownDoesNotOverflow(t *testing.T) {
	s := &Settings{HoldDown: time.Hour, HoldDownMax: 1<<63 - 1}
	f := flaps{level: 1000}
	if got := f.holdDown(s); got != s.HoldDownMax {
		t.Errorf("hold-down %v, want the cap", got)
	}
}
