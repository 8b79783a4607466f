package hotswap

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"
)

var noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

func after(p Position) *Position { return &p }

// Short names for the events of the tables. The first letter of an id is the
// author's.
func put(id, target string, a *Position) AdapterSwitchEvent {
	return AdapterSwitchEvent{ID: id, Origin: id[:1], Target: target, After: a, Time: noon}
}

func byHand(e AdapterSwitchEvent, pinned bool) AdapterSwitchEvent {
	e.Manual, e.Pinned = true, pinned
	return e
}

func ballot(id, target string, a *Position, quorum int, at time.Duration) AdapterSwitchEvent {
	e := put(id, target, a)
	e.Kind, e.Quorum, e.Window, e.Time = KindVote, quorum, 10*time.Second, noon.Add(at)
	return e
}

func kind(k Kind, id string, a *Position) AdapterSwitchEvent {
	e := put(id, "", a)
	e.Kind = k
	return e
}

// Each case is a log, and what the fold makes of its entries. Positions are 10,
// 20, 30 ...
func TestFold(t *testing.T) {
	s := time.Second
	for name, c := range map[string]struct {
		log      []AdapterSwitchEvent
		verdicts []Verdict
		adapter  string
		position Position
	}{
		"a blank log says nothing": {nil, nil, "", 0},
		"the first of many concurrent decisions wins": {
			[]AdapterSwitchEvent{put("x1", "b", after(0)), put("y1", "b", after(0)), put("z1", "c", after(0))},
			[]Verdict{Accepted, Stale, Stale}, "b", 10},
		"a decision on the switch in force is accepted": {
			[]AdapterSwitchEvent{put("x1", "b", after(0)), put("y1", "a", after(10))},
			[]Verdict{Accepted, Accepted}, "a", 20},
		"one that was decided one entry earlier is not": {
			[]AdapterSwitchEvent{put("x1", "b", after(0)), put("y1", "a", after(9))},
			[]Verdict{Accepted, Stale}, "b", 10},
		"what is in force already is redundant": {
			[]AdapterSwitchEvent{put("x1", "b", after(0)), put("y1", "b", after(10))},
			[]Verdict{Accepted, Redundant}, "b", 10},
		"published twice": {
			[]AdapterSwitchEvent{put("x1", "b", after(0)), put("x1", "b", after(0))},
			[]Verdict{Accepted, Stale}, "b", 10},
		"what is in force is stated again, under its id": {
			[]AdapterSwitchEvent{put("x1", "b", after(0)), put("x1", "b", after(10)), put("y1", "a", after(10)), put("z1", "a", after(20))},
			[]Verdict{Accepted, Restated, Stale, Accepted}, "a", 40},
		"the same id does not make it the same": {
			[]AdapterSwitchEvent{put("x1", "b", after(0)), put("x1", "a", after(10)), byHand(put("x1", "a", after(20)), true)},
			[]Verdict{Accepted, Accepted, Accepted}, "a", 30},
		"votes outlive a restatement": {
			[]AdapterSwitchEvent{put("x1", "b", after(0)), ballot("y1", "c", after(10), 2, 0), put("x1", "b", after(10)), ballot("z1", "c", after(30), 2, s)},
			[]Verdict{Accepted, Noted, Restated, Accepted}, "c", 40},
		"peers without a log are taken in the log's order": {
			[]AdapterSwitchEvent{put("j1", "b", nil), put("j2", "a", nil)},
			[]Verdict{Accepted, Accepted}, "a", 20},
		"a repeated foreign event is harmless": {
			[]AdapterSwitchEvent{put("j1", "b", nil), put("j2", "a", nil), put("j1", "b", nil)},
			[]Verdict{Accepted, Accepted, Repeated}, "a", 20},
		"so is one that was redundant the first time": {
			[]AdapterSwitchEvent{put("x1", "b", after(0)), put("j1", "b", nil), put("y1", "a", after(10)), put("j1", "b", nil)},
			[]Verdict{Accepted, Redundant, Accepted, Repeated}, "a", 30},
		"a pin holds automatic decisions": {
			[]AdapterSwitchEvent{byHand(put("x1", "b", after(0)), true), put("y1", "a", after(10)), put("j1", "a", nil)},
			[]Verdict{Accepted, Held, Held}, "b", 10},
		"a pin holds votes": {
			[]AdapterSwitchEvent{byHand(put("x1", "b", after(0)), true), ballot("y1", "c", after(10), 1, 0)},
			[]Verdict{Accepted, Held}, "b", 10},
		"an operator moves off a pin": {
			[]AdapterSwitchEvent{byHand(put("x1", "b", after(0)), true), byHand(put("y1", "a", after(10)), false), put("z1", "b", after(20))},
			[]Verdict{Accepted, Accepted, Accepted}, "b", 30},
		"a pin is released in place": {
			[]AdapterSwitchEvent{byHand(put("x1", "b", after(0)), true), byHand(put("y1", "b", after(10)), false), put("z1", "a", after(20))},
			[]Verdict{Accepted, Accepted, Accepted}, "a", 30},
		"what is in force is pinned in place": {
			[]AdapterSwitchEvent{put("x1", "b", after(0)), byHand(put("y1", "b", after(10)), true), put("z1", "a", after(20))},
			[]Verdict{Accepted, Accepted, Held}, "b", 20},
		"only operators pin": {
			[]AdapterSwitchEvent{{ID: "x1", Origin: "x", Target: "b", After: after(0), Pinned: true}, put("z1", "a", after(10))},
			[]Verdict{Accepted, Accepted}, "a", 20},
		"the vote that completes the quorum switches": {
			[]AdapterSwitchEvent{ballot("x1", "b", after(0), 2, 0), ballot("y1", "b", after(0), 2, s)},
			[]Verdict{Noted, Accepted}, "b", 20},
		"one author is one vote": {
			[]AdapterSwitchEvent{ballot("x1", "b", after(0), 2, 0), ballot("x2", "b", after(0), 2, s)},
			[]Verdict{Noted, Noted}, "", 0},
		"votes for different targets do not add up": {
			[]AdapterSwitchEvent{ballot("x1", "b", after(0), 2, 0), ballot("y1", "c", after(0), 2, s)},
			[]Verdict{Noted, Noted}, "", 0},
		"an author's newer vote replaces the older": {
			[]AdapterSwitchEvent{ballot("x1", "b", after(0), 2, 0), ballot("x2", "c", after(0), 2, s), ballot("y1", "b", after(0), 2, s)},
			[]Verdict{Noted, Noted, Noted}, "", 0},
		"a vote counts through its window": {
			[]AdapterSwitchEvent{ballot("x1", "b", after(0), 2, 0), ballot("y1", "b", after(0), 2, 10*s)},
			[]Verdict{Noted, Accepted}, "b", 20},
		"and no longer": {
			[]AdapterSwitchEvent{ballot("x1", "b", after(0), 2, 0), ballot("y1", "b", after(0), 2, 10*s+1)},
			[]Verdict{Noted, Noted}, "", 0},
		"an author's clock may be behind": {
			[]AdapterSwitchEvent{ballot("x1", "b", after(0), 2, 0), ballot("y1", "b", after(0), 2, -11*s), ballot("z1", "b", after(0), 2, -9*s)},
			[]Verdict{Noted, Noted, Accepted}, "b", 30},
		"each vote counts by its own quorum": {
			[]AdapterSwitchEvent{ballot("x1", "b", after(0), 3, 0), ballot("y1", "b", after(0), 2, s)},
			[]Verdict{Noted, Accepted}, "b", 20},
		"a vote of quorum 0 needs nobody else": {
			[]AdapterSwitchEvent{ballot("x1", "b", after(0), 0, 0)},
			[]Verdict{Accepted}, "b", 10},
		"a vote that was taken back does not count": {
			[]AdapterSwitchEvent{ballot("x1", "b", after(0), 2, 0), kind(KindWithdraw, "x2", after(0)), ballot("y1", "b", after(0), 2, s)},
			[]Verdict{Noted, Noted, Noted}, "", 0},
		"others' votes stay when one is taken back": {
			[]AdapterSwitchEvent{ballot("x1", "b", after(0), 2, 0), kind(KindWithdraw, "z1", after(0)), ballot("y1", "b", after(0), 2, s)},
			[]Verdict{Noted, Noted, Accepted}, "b", 30},
		"a switch ends the votes before it": {
			[]AdapterSwitchEvent{ballot("x1", "b", after(0), 2, 0), put("z1", "c", after(0)), ballot("y1", "b", after(20), 2, s)},
			[]Verdict{Noted, Accepted, Noted}, "c", 20},
		"a vote from before the switch is stale": {
			[]AdapterSwitchEvent{put("z1", "c", after(0)), ballot("y1", "b", after(0), 1, 0)},
			[]Verdict{Accepted, Stale}, "c", 10},
		"a vote for what is in force is redundant": {
			[]AdapterSwitchEvent{put("z1", "b", after(0)), ballot("y1", "b", after(10), 1, 0)},
			[]Verdict{Accepted, Redundant}, "b", 10},
		"the first claim is granted, the next must have seen it": {
			[]AdapterSwitchEvent{kind(KindClaim, "x1", after(0)), kind(KindClaim, "y1", after(0)), kind(KindClaim, "z1", after(10))},
			[]Verdict{Noted, Stale, Noted}, "", 0},
		"a claim from before a switch is void": {
			[]AdapterSwitchEvent{put("x1", "b", after(0)), kind(KindClaim, "y1", after(9)), kind(KindClaim, "y2", after(10))},
			[]Verdict{Accepted, Stale, Noted}, "b", 10},
	} {
		t.Run(name, func(t *testing.T) {
			var s State
			for i, e := range c.log {
				var v Verdict
				if s, v = Fold(s, Position(10*i+10), e); v != c.verdicts[i] {
					t.Errorf("%s is %s, want %s", e.ID, v, c.verdicts[i])
				}
			}
			if s.Adapter != c.adapter || s.Position != c.position {
				t.Errorf("%q at %d in force, want %q at %d", s.Adapter, s.Position, c.adapter, c.position)
			}
		})
	}
}

func TestAClaimNamesItsHolderUntilTheNextSwitch(t *testing.T) {
	s, _ := Fold(State{}, 10, kind(KindClaim, "x1", after(0)))
	if want := (Claim{Position: 10, Origin: "x"}); s.Claim != want {
		t.Errorf("claim %+v, want %+v", s.Claim, want)
	}
	if s, _ = Fold(s, 20, put("y1", "b", after(0))); s.Claim != (Claim{}) {
		t.Errorf("after a switch %+v still holds the claim", s.Claim)
	}
}

func TestAcceptedKeepsWhatTheEntrySays(t *testing.T) {
	e := AdapterSwitchEvent{ID: "x1", Origin: "x", Target: "b", After: after(0), Time: noon, Reason: "recovered", Ramp: time.Minute}
	s, _ := Fold(State{}, 10, e)
	want := State{Adapter: "b", Position: 10, ID: "x1", Origin: "x", Time: noon, Reason: "recovered", Ramp: time.Minute, said: "b", saidBy: "x"}
	if fmt.Sprint(s) != fmt.Sprint(want) {
		t.Errorf("state %+v, want %+v", s, want)
	}
}

// What the fold remembers is bounded: of authors that voted and of foreign ids.
func TestFoldRemembersSoMuch(t *testing.T) {
	s := State{votes: make([]vote, maxVotes)}
	s, v := Fold(s, 1, ballot("x", "b", after(0), 2, 0))
	if last := s.votes[len(s.votes)-1]; len(s.votes) != maxVotes || last.origin != "x" || v != Noted {
		t.Errorf("%d votes, the last %+v; want %d, the last of x", len(s.votes), last, maxVotes)
	}
	s = State{}
	for i := range 3 * maxSeen {
		s, _ = Fold(s, Position(i+1), put(fmt.Sprint("j", i), "ab"[i%2:i%2+1], nil))
	}
	if len(s.seen) != maxSeen || s.seen[maxSeen-1] != fmt.Sprint("j", 3*maxSeen-1) {
		t.Errorf("%d ids up to %s, want the last %d", len(s.seen), s.seen[len(s.seen)-1], maxSeen)
	}
}

var anyEvent = rapid.Custom(func(t *rapid.T) AdapterSwitchEvent {
	e := AdapterSwitchEvent{
		ID:     rapid.SampledFrom([]string{"1", "2", "3", "4", "5", "6"}).Draw(t, "id"),
		Origin: rapid.SampledFrom([]string{"x", "y", "z"}).Draw(t, "origin"),
		Kind:   Kind(rapid.IntRange(0, 4).Draw(t, "kind")),
		Target: rapid.SampledFrom([]string{"a", "b"}).Draw(t, "target"),
		Time:   noon.Add(time.Duration(rapid.IntRange(-20, 20).Draw(t, "second")) * time.Second),
		Manual: rapid.Bool().Draw(t, "manual"), Pinned: rapid.Bool().Draw(t, "pinned"),
		Quorum: rapid.IntRange(-1, 3).Draw(t, "quorum"), Window: 10 * time.Second,
	}
	if p := rapid.IntRange(-1, 20).Draw(t, "after"); p >= 0 {
		e.After = after(Position(p))
	}
	return e
})

// Fold is pure: its argument stays as it is, equal arguments give equal results,
// and two folds from one state share nothing that either could change.
func foldIsPure(t *rapid.T) {
	var s State
	for i, e := range rapid.SliceOfN(anyEvent, 1, 20).Draw(t, "log") {
		p := Position(i + 1)
		before := fmt.Sprintf("%#v", s)
		next, verdict := Fold(s, p, e)
		result := fmt.Sprintf("%#v %s", next, verdict)
		Fold(s, p, anyEvent.Draw(t, "other"))
		again, verdict := Fold(s, p, e)
		if same := fmt.Sprintf("%#v %s", again, verdict); same != result {
			t.Fatalf("folded to %s, then to %s", result, same)
		}
		if fmt.Sprintf("%#v", s) != before {
			t.Fatalf("the argument became %#v, was %s", s, before)
		}
		if fmt.Sprintf("%#v %s", next, verdict) != result {
			t.Fatalf("a later fold changed an earlier result to %#v", next)
		}
		s = next
	}
}

func TestFoldIsPure(t *testing.T) { schedules(t, 2000, foldIsPure) }

func FuzzFoldIsPure(f *testing.F) { f.Fuzz(rapid.MakeFuzz(foldIsPure)) }
