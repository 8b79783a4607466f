package hotswap

import "testing"

// What becomes of an entry whose publish failed: a decision and a vote go out
// again, as the same event, unless something newer has taken their place.
func TestAFailedPublishIsRepeated(t *testing.T) {
	some(t, 1, func(w *world) {
		n := w.nodes[0]
		n.failed(n.active(), "timeout")
		w.send(n, isLost)
		w.send(n, losesConfirm)
		w.send(n, arrives)
		if len(w.log) != 2 || w.log[0].event.ID != w.log[1].event.ID {
			t.Errorf("the log holds %+v, want one event twice", w.log)
		}
		w.all()
		if sent := w.flush(n); len(sent) != 0 || len(hears[PublishFailed](n)) != 2 {
			t.Errorf("sent %+v after it came back", sent)
		}
	})
	one(t, func(w *world, n *node) {
		n.failed(n.active(), "timeout")
		w.send(n, isLost)
		w.wantSent(w.flush(n), KindVote, "b")
		n.renewVote()
		first, _ := n.next()
		n.renewVote()
		n.failedToPublish(first, errTest)
		if sent := w.flush(n); len(sent) != 1 || sent[0].ID == first.ID {
			t.Errorf("sent %+v, want only the newer vote", sent)
		}
	})
}

// What a failed publish does not repeat: a decision that another has replaced, and
// votes of before a switch.
func TestAnOvertakenEntryIsNotRepeated(t *testing.T) {
	some(t, 1, func(w *world) {
		n := w.nodes[0]
		n.failed(n.active(), "timeout")
		first, _ := n.next()
		n.failed(n.active(), "timeout")
		n.failedToPublish(first, errTest)
		w.wantSent(w.flush(n), KindSwitch, "c")
		n.failedToPublish(first, errTest)
		if sent := w.flush(n); len(sent) > 0 {
			t.Errorf("sent %+v", sent)
		}
	})
	one(t, func(w *world, n *node) {
		n.failed(n.active(), "timeout")
		vote, _ := n.next()
		n.renewVote()
		w.append(put("j1", "c", nil))
		w.bring(n, 1)
		n.failedToPublish(vote, errTest)
		if sent := w.flush(n); len(sent) > 0 {
			t.Errorf("sent %+v after the cluster moved on", sent)
		}
	})
	some(t, 2, func(w *world) { // an announcement of what is no longer in force
		_, loser := misleading(w)
		w.all()
		again, _ := loser.next()
		loser.recovered(loser.registry.Epoch(), "a")
		loser.failedToPublish(again, errTest)
		w.wantSent(w.flush(loser), KindSwitch, "a")
	})
}

func TestNothingIsSentWhileTheLogIsAway(t *testing.T) {
	one(t, func(w *world, n *node) {
		n.failed(n.active(), "timeout")
		vote, _ := n.next()
		w.disconnect(n)
		n.failedToPublish(vote, errTest)
		n.renewVote()
		if e, sends := n.next(); sends {
			t.Errorf("sends %+v", e)
		}
		w.connect(n)
		if e, sends := n.next(); sends {
			t.Errorf("sends %+v before the log was read", e)
		}
		w.bring(n, 1)
		w.wantSent(w.flush(n), KindVote, "b")
	})
}
