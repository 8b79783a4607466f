package hotswap

import (
	"testing"
	"time"
)

// Two decisions race to the log: of one kind, the first wins; an operator's goes
// behind an automatic one, and so has the last word.
func TestTheRaceOfTwoDecisions(t *testing.T) {
	automatic := func(n *node) { n.failed(n.active(), "timeout") } // to b
	operator := func(n *node) { _ = n.manual("c", false) }
	for name, c := range map[string]struct {
		first, second func(*node)
		want          string
		accepted      int
		voided        int
	}{
		"two failures":              {automatic, automatic, "b", 1, 1},
		"two operators":             {operator, operator, "c", 1, 1},
		"an operator is too late":   {automatic, operator, "c", 2, 0},
		"an automatic one too late": {operator, automatic, "c", 1, 1},
	} {
		t.Run(name, func(t *testing.T) {
			some(t, 3, func(w *world) {
				c.first(w.nodes[0])
				c.second(w.nodes[1])
				w.send(w.nodes[0], arrives)
				w.send(w.nodes[1], arrives)
				w.settle()
				w.checkAgreement()
				if s := w.folded(); s.Adapter != c.want || w.accepted != c.accepted {
					t.Errorf("%q in force after %d switches, want %q after %d", s.Adapter, w.accepted, c.want, c.accepted)
				}
				if n := len(hears[Voided](w.nodes[1])); n != c.voided {
					t.Errorf("the second is told of %d void decisions, want %d", n, c.voided)
				}
				if n := len(hears[Confirmed](w.nodes[0])); n != 1 {
					t.Errorf("the first is told of %d confirmations, want 1", n)
				}
			})
		})
	}
}

// What each of three that detect at once is told: the winner that its decision
// stands, the losers that theirs are void, and all of what others sent in vain.
func TestWhatIsToldOfConcurrentDecisions(t *testing.T) {
	some(t, 3, func(w *world) {
		for _, n := range w.nodes {
			n.failed(n.active(), "timeout")
		}
		for _, n := range w.nodes {
			w.send(n, arrives)
		}
		w.all()
		for i, n := range w.nodes {
			confirmed, voided, ignored := hears[Confirmed](n), hears[Voided](n), hears[Ignored](n)
			if len(confirmed) != map[bool]int{true: 1}[i == 0] || len(voided) != map[bool]int{true: 1}[i > 0] {
				t.Errorf("instance %d: %d confirmed, %d void", i, len(confirmed), len(voided))
			}
			if want := map[int]int{0: 2, 1: 1, 2: 1}[i]; len(ignored) != want || ignored[0].Verdict != Stale || ignored[0].Event.Origin == n.settings.ID {
				t.Errorf("instance %d is told of ignored entries %+v, want %d stale ones of others", i, ignored, want)
			}
			if moves := len(hears[Switched](n)); moves != 1 {
				t.Errorf("instance %d moved %d times", i, moves)
			}
			if got := len(hears[Received](n)); got != 0 {
				t.Errorf("instance %d is told of %d received switches: it was there already", i, got)
			}
		}
	})
}

// What a bystander is told of a switch: where it came from and how long it took.
func TestWhatABystanderIsTold(t *testing.T) {
	some(t, 2, func(w *world) {
		e := put("j1", "b", nil)
		e.Reason, e.Time = "timeout", time.Now().Add(-time.Second)
		w.append(e)
		w.append(put("j2", "b", nil))
		w.append(put("j3", "?", nil))
		n := w.nodes[0]
		w.bring(n, 3)
		received, moved := hears[Received](n), hears[Switched](n)
		if len(received) != 1 || received[0].Event.ID != "j1" || received[0].Position != gap || received[0].Latency < time.Second {
			t.Errorf("received %+v", received)
		}
		want := Switched{From: "a", To: "b", Epoch: 2, Cause: CauseReceived, Reason: "timeout", Position: gap}
		if len(moved) == 1 {
			want.Latency = moved[0].Latency
		}
		if len(moved) != 1 || moved[0] != want || want.Latency < time.Second {
			t.Errorf("moved %+v, want %+v", moved, want)
		}
		ignored := hears[Ignored](n)
		if len(ignored) != 2 || ignored[0].Verdict != Redundant || !ignored[1].Unknown {
			t.Errorf("ignored %+v, want a redundant one and one for an unknown adapter", ignored)
		}
	})
}

// The past is told in one piece, however much went on in it.
func TestThePastIsFoldedSilently(t *testing.T) {
	some(t, 1, func(w *world) {
		w.append(put("j1", "b", nil))
		w.append(put("j2", "a", nil))
		w.append(put("j3", "c", nil))
		w.crash(w.nodes[0])
		w.restart(w.nodes[0])
		n := w.nodes[0]
		w.connect(n)
		w.bring(n, 3)
		moved := hears[Switched](n)
		if len(moved) != 1 || moved[0].To != "c" || moved[0].Cause != CauseReplayed || len(hears[Received](n)) != 0 {
			t.Errorf("moved %+v, want once, to c, by the replay", moved)
		}
		if replayed := hears[Replayed](n); len(replayed) != 1 || replayed[0].State.Adapter != "c" {
			t.Errorf("replayed %+v", replayed)
		}
		if n.flaps.level != 1 || !n.flaps.away {
			t.Errorf("the hold-down knows %+v of the past", n.flaps)
		}
		if n := len(hears[BusRegained](n)); n != 0 {
			t.Error("a log that was never lost is regained")
		}
		w.disconnect(n)
		w.connect(n)
		w.bring(n, 3)
		if lost, back := hears[BusLost](n), hears[BusRegained](n); len(lost) != 1 || len(back) != 1 || len(hears[Replayed](n)) != 1 || len(hears[Switched](n)) != 1 {
			t.Errorf("a reconnection is told as lost %+v, regained %+v", lost, back)
		}
	})
}

// A decision that was sent into a connection that broke is sent again: as the
// same event while nobody moved on, and as another one behind what it follows.
func TestADecisionIsSentAgain(t *testing.T) {
	some(t, 2, func(w *world) {
		n := w.nodes[0]
		n.failed(n.active(), "timeout")
		first := n.pending.event.ID
		w.send(n, isLost)
		w.disconnect(n)
		w.connect(n)
		w.bring(n, 1)
		if sent := w.flush(n); len(sent) != 1 || sent[0].ID != first {
			t.Errorf("sent %+v, want the event %s again", sent, first)
		}

		n.recovered(n.registry.Epoch(), "a")
		w.send(n, arrives)
		n.failed(n.active(), "timeout")
		second, before := n.pending.event.ID, n.coordinator.log.Position
		w.disconnect(n)
		w.connect(n)
		w.bring(n, 2)
		sent := w.flush(n)
		w.wantSent(sent, KindSwitch, "b")
		if sent[0].ID == second || *sent[0].After <= before {
			t.Errorf("sent %+v, want a new event after the return", sent[0])
		}
		w.wantOn(n, "b", false)
	})
}
