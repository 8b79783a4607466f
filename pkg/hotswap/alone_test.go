package hotswap

import (
	"testing"

	"pgregory.net/rapid"
)

// one gives a test a world of one instance with a quorum that it does not reach.
func one(t *testing.T, f func(w *world, n *node)) {
	schedules(t, 1, func(t *rapid.T) {
		w := newWorld(t, []drawn{{Quorum: 2, Window: 10}})
		f(w, w.nodes[0])
	})
}

// flush publishes what the outbox has, brings it back and returns it.
func (w *world) flush(n *node) (sent []AdapterSwitchEvent) {
	before := len(w.log)
	for w.send(n, arrives) {
	}
	w.bring(n, len(w.log))
	for _, e := range w.log[before:] {
		sent = append(sent, e.event)
	}
	return sent
}

func (w *world) wantSent(sent []AdapterSwitchEvent, k Kind, target string) {
	w.t.Helper()
	if len(sent) != 1 || sent[0].Kind != k || sent[0].Target != target {
		w.t.Fatalf("sent %+v, want one entry of kind %d for %q", sent, k, target)
	}
}

func (w *world) wantOn(n *node, adapter string, alone bool) {
	w.t.Helper()
	if n.registry.ActiveName() != adapter || n.alone != alone {
		w.t.Fatalf("on %q, alone %v; want %q, %v", n.registry.ActiveName(), n.alone, adapter, alone)
	}
}

func TestAloneAndBack(t *testing.T) {
	one(t, func(w *world, n *node) {
		n.failed(n.active(), "timeout")
		w.wantOn(n, "b", true)
		w.wantSent(w.flush(n), KindVote, "b")
		n.renewVote()
		w.wantSent(w.flush(n), KindVote, "b")
		n.recovered(n.registry.Epoch(), "a")
		w.wantOn(n, "a", false)
		w.wantSent(w.flush(n), KindWithdraw, "")
		n.renewVote()
		if sent := w.flush(n); len(sent) > 0 {
			t.Errorf("sent %+v after the return", sent)
		}
	})
}

func TestAloneOnTheLastOfThree(t *testing.T) {
	lastOfThree := func(w *world, n *node) {
		n.failed(n.active(), "timeout")
		n.failed(n.active(), "timeout")
		w.wantOn(n, "c", true)
		w.wantSent(w.flush(n), KindVote, "c") // the vote for b was overtaken in the outbox
	}
	t.Run("nearer to the cluster, and still alone", func(t *testing.T) {
		one(t, func(w *world, n *node) {
			lastOfThree(w, n)
			n.recovered(n.registry.Epoch(), "b")
			w.wantOn(n, "b", true)
			w.wantSent(w.flush(n), KindVote, "b")
		})
	})
	t.Run("back to the cluster", func(t *testing.T) {
		one(t, func(w *world, n *node) {
			w.append(foreign(1, 1)) // to b
			w.bring(n, 1)
			n.failed(n.active(), "timeout")
			w.flush(n)
			n.recovered(n.registry.Epoch(), "b")
			w.wantOn(n, "b", false)
			w.wantSent(w.flush(n), KindWithdraw, "")
		})
	})
	t.Run("beyond the cluster, which is a decision for all", func(t *testing.T) {
		one(t, func(w *world, n *node) {
			w.append(foreign(1, 1)) // to b
			w.bring(n, 1)
			n.failed(n.active(), "timeout")
			w.flush(n)
			n.recovered(n.registry.Epoch(), "a")
			w.wantOn(n, "a", false)
			w.wantSent(w.flush(n), KindSwitch, "a")
		})
	})
}

// A return that fails before anybody heard of it is taken back; one that may be in
// the log is not, and the instance votes against it.
func TestAReturnThatFailsAtOnce(t *testing.T) {
	away := func(w *world, n *node) {
		w.append(foreign(1, 1)) // to b
		w.bring(n, 1)
		n.recovered(n.registry.Epoch(), "a")
	}
	one(t, func(w *world, n *node) {
		away(w, n)
		n.failed(n.active(), "timeout")
		w.wantOn(n, "b", false)
		if sent := w.flush(n); len(sent) > 0 {
			t.Errorf("sent %+v", sent)
		}
	})
	one(t, func(w *world, n *node) {
		away(w, n)
		w.send(n, arrives)
		n.failed(n.active(), "timeout")
		w.wantOn(n, "b", true)
		w.flush(n)
		w.wantOn(n, "b", true)
		if n.coordinator.log.Adapter != "a" || n.coordinator.log.Votes(ballot("x", "b", nil, 0, 0)) != 0 {
			t.Errorf("the log says %+v", n.coordinator.log)
		}
		w.wantSent(w.flush(n), KindVote, "b")
	})
	one(t, func(w *world, n *node) { // sent, but lost with the connection
		away(w, n)
		w.send(n, isLost)
		n.failed(n.active(), "timeout")
		w.disconnect(n)
		w.connect(n)
		w.bring(n, 5)
		w.wantOn(n, "b", false)
		if sent := w.flush(n); len(sent) > 0 {
			t.Errorf("sent %+v", sent)
		}
	})
}

// One that the log took while the instance was cut off stands for the others; the
// instance stays where it is, and votes.
func TestAReturnThatFailedHereAndStandsElsewhere(t *testing.T) {
	one(t, func(w *world, n *node) {
		w.append(foreign(1, 1)) // to b
		w.bring(n, 1)
		n.recovered(n.registry.Epoch(), "a")
		w.send(n, arrives)
		n.failed(n.active(), "timeout")
		w.disconnect(n)
		w.connect(n)
		w.bring(n, 2)
		w.wantOn(n, "b", true)
		w.wantSent(w.flush(n), KindVote, "b")
		if len(hears[Confirmed](n)) != 1 {
			t.Error("the return was not confirmed")
		}
	})
}

// An operator's decision that is on its way is not taken back by a failure.
func TestAFailureDoesNotTakeBackAnOperatorsSwitch(t *testing.T) {
	one(t, func(w *world, n *node) {
		w.append(foreign(1, 1)) // to b
		w.bring(n, 1)
		if err := n.manual("a", false); err != nil {
			t.Fatal(err)
		}
		n.failed(n.active(), "timeout")
		w.wantOn(n, "b", true)
		sent := w.flush(n)
		if len(sent) != 2 || sent[0].Target != "a" || !sent[0].Manual || sent[1].Kind != KindVote {
			t.Errorf("sent %+v, want the operator's switch, then the vote", sent)
		}
	})
}

// An operator's switch to what is in force says nothing; one that changes
// something about it does.
func TestManual(t *testing.T) {
	one(t, func(w *world, n *node) {
		for _, c := range []struct {
			target string
			pin    bool
			sends  bool
		}{
			{"a", false, false}, {"b", false, true}, {"b", false, false}, {"b", true, true}, {"b", true, false},
			{"b", false, true}, {"c", true, true}, {"a", true, true},
		} {
			if err := n.manual(c.target, c.pin); err != nil {
				t.Fatal(err)
			}
			if sent := w.flush(n); len(sent) > 0 != c.sends {
				t.Errorf("to %q, pinned %v: sent %+v", c.target, c.pin, sent)
			}
			w.wantOn(n, c.target, false)
			if n.pinned() != c.pin {
				t.Errorf("to %q: pinned %v, want %v", c.target, n.pinned(), c.pin)
			}
		}
		n.release()
		n.release()
		w.wantSent(w.flush(n), KindSwitch, "a")
		n.failed(n.active(), "timeout")
		if err := n.manual("b", false); err != nil { // where it is alone already
			t.Fatal(err)
		}
		w.wantOn(n, "b", false)
		if sent := w.flush(n); len(sent) == 0 || sent[0].Kind != KindSwitch {
			t.Errorf("sent %+v", sent)
		}
	})
}
