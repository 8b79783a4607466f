package hotswap

import (
	"testing"

	"pgregory.net/rapid"
)

// some gives a test a world of instances that decide alone.
func some(t *testing.T, n int, f func(w *world)) {
	schedules(t, 1, func(t *rapid.T) {
		each := make([]drawn, n)
		for i := range each {
			each[i] = drawn{Quorum: 1, Window: 10}
		}
		f(newWorld(t, each))
	})
}

func (w *world) all() {
	for _, n := range w.nodes {
		w.bring(n, len(w.log))
	}
}

// misleading has instance 0 win with b and instance 1 lose with c, which peers
// that follow every switch take for the last word.
func misleading(w *world) (winner, loser *node) {
	winner, loser = w.nodes[0], w.nodes[1]
	winner.failed(winner.active(), "timeout")
	loser.failed(loser.active(), "timeout")
	loser.failed(loser.active(), "timeout")
	w.send(winner, arrives)
	w.send(loser, arrives)
	return winner, loser
}

// The author of a void switch puts those right who follow every switch. Nobody
// else does.
func TestTheAuthorOfAVoidSwitchPutsPeersRight(t *testing.T) {
	some(t, 3, func(w *world) {
		_, loser := misleading(w)
		w.all()
		for _, n := range w.nodes {
			if _, sends := n.next(); sends != (n == loser) {
				t.Errorf("instance %d sends: %v", n.name, sends)
			}
		}
	})
}

// It does so even if it was away when its switch came to nothing.
func TestPeersArePutRightAfterAReconnection(t *testing.T) {
	for name, c := range map[string]struct {
		who   int
		sends bool
	}{"the winner": {0, true}, "the loser": {1, true}, "another": {2, false}} {
		t.Run(name, func(t *testing.T) {
			some(t, 3, func(w *world) {
				misleading(w)
				n := w.nodes[c.who]
				w.disconnect(n)
				w.connect(n)
				w.bring(n, len(w.log))
				e, sends := n.next()
				if sends != c.sends || sends && (e.Target != "b" || e.ID != n.coordinator.log.ID) {
					t.Errorf("sends %v: %+v", sends, e)
				}
			})
		})
	}
}

// What is in force is stated again, by one instance, when the log has grown far
// beyond it. The ramp of the return is over by then.
func TestWhatIsInForceIsStatedAgain(t *testing.T) {
	some(t, 3, func(w *world) {
		w.append(put("j1", "b", nil))
		for i := range Position(maxBehind / gap) {
			w.append(kind(KindClaim, "x", after(1000*i)))
		}
		w.log[len(w.log)-1].event.Origin = w.nodes[1].settings.ID
		before := w.folded()
		w.all()
		if _, sends := w.nodes[0].next(); sends {
			t.Error("an instance that wrote none of it states it again")
		}
		sent := w.flush(w.nodes[1])
		w.wantSent(sent, KindSwitch, "b")
		if s := w.folded(); s.ID != before.ID || s.Position == before.Position || !s.Time.Equal(before.Time) || s.Reason != before.Reason {
			t.Errorf("%+v is in force, want %+v at a later position", s, before)
		}
		if more := w.flush(w.nodes[1]); len(more) > 0 {
			t.Errorf("sent %+v again", more)
		}
	})
}

func TestWhatIsInForceIsNotStatedTooOften(t *testing.T) {
	some(t, 1, func(w *world) {
		w.append(put("j1", "b", nil))
		w.position += maxBehind - gap - 1
		w.append(kind(KindClaim, w.nodes[0].settings.ID, after(0)))
		w.log[1].event.Origin = w.nodes[0].settings.ID
		w.all()
		if sent := w.flush(w.nodes[0]); len(sent) > 0 {
			t.Errorf("sent %+v", sent)
		}
	})
}

// One that starts on such a log does so, too; on a blank one it has nothing to say.
func TestAReaderOfALongLogStatesItAgain(t *testing.T) {
	for _, blank := range []bool{false, true} {
		some(t, 1, func(w *world) {
			if !blank {
				w.append(byHand(put("j1", "b", after(0)), true))
			}
			w.position += maxBehind
			w.append(kind(KindClaim, "x", after(0)))
			n := w.nodes[0]
			w.disconnect(n)
			w.connect(n)
			w.bring(n, 2)
			sent := w.flush(n)
			if blank && len(sent) > 0 {
				t.Errorf("sent %+v on a blank log", sent)
			}
			if !blank {
				w.wantSent(sent, KindSwitch, "b")
				if s := w.folded(); !s.Pinned || s.Position != w.position {
					t.Errorf("%+v is in force, want the pin, at the end", s)
				}
			}
		})
	}
}

// A decision on its way follows what is in force to its new place.
func TestADecisionFollowsARestatement(t *testing.T) {
	some(t, 1, func(w *world) {
		n := w.nodes[0]
		w.append(put("j1", "b", nil))
		w.all()
		again := put("j1", "b", after(w.position))
		n.recovered(n.registry.Epoch(), "a")
		w.append(again)
		w.all()
		w.wantSent(w.flush(n), KindSwitch, "a")
		w.wantOn(n, "a", false)
		if s := w.folded(); s.Adapter != "a" || n.pending != nil {
			t.Errorf("%+v is in force, pending %v", s, n.pending)
		}
	})
}

// A vote does so, too.
func TestAVoteFollowsARestatement(t *testing.T) {
	one(t, func(w *world, n *node) {
		w.append(put("j1", "a", nil))
		w.bring(n, 1)
		n.failed(n.active(), "timeout")
		w.append(put("j1", "a", after(w.position)))
		w.bring(n, 1)
		w.wantSent(w.flush(n), KindVote, "b")
		if votes := n.coordinator.log.votes; len(votes) != 1 {
			t.Errorf("votes %+v, want the one", votes)
		}
	})
}
