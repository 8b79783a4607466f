package hotswap

import "testing"

// What a blank log is told, by an instance that remembers another.
func TestABlankLogIsToldWhatWasInForce(t *testing.T) {
	replaced := func(w *world, n *node) []AdapterSwitchEvent {
		w.replace()
		w.connect(n)
		w.bring(n, 1)
		return w.flush(n)
	}
	t.Run("nothing, if nothing was", func(t *testing.T) {
		some(t, 1, func(w *world) {
			if sent := replaced(w, w.nodes[0]); len(sent) > 0 {
				t.Errorf("sent %+v", sent)
			}
		})
	})
	t.Run("under the same id, with its pin", func(t *testing.T) {
		some(t, 1, func(w *world) {
			n := w.nodes[0]
			w.append(byHand(put("j1", "b", after(0)), true))
			w.bring(n, 1)
			sent := replaced(w, n)
			w.wantSent(sent, KindSwitch, "b")
			if sent[0].ID != "j1" || !n.pinned() || !w.folded().Pinned {
				t.Errorf("sent %+v", sent)
			}
			w.wantOn(n, "b", false)
			if n.registry.Epoch() != 2 {
				t.Errorf("it moved in between: epoch %d", n.registry.Epoch())
			}
		})
	})
	t.Run("once, by those who remember the same", func(t *testing.T) {
		some(t, 2, func(w *world) {
			w.append(put("j1", "b", nil))
			w.all()
			w.replace()
			for _, n := range w.nodes {
				w.connect(n)
				w.bring(n, 1)
			}
			w.send(w.nodes[0], arrives)
			w.all()
			if _, sends := w.nodes[1].next(); sends || w.nodes[1].pending != nil {
				t.Error("the second has something to say")
			}
		})
	})
	t.Run("by one that is alone, which stays so", func(t *testing.T) {
		one(t, func(w *world, n *node) {
			w.append(foreign(1, 1)) // to b
			w.bring(n, 1)
			n.failed(n.active(), "timeout")
			sent := replaced(w, n)
			w.wantOn(n, "c", true)
			if len(sent) != 2 || sent[0].Target != "b" || sent[1].Kind != KindVote || sent[1].Target != "c" {
				t.Errorf("sent %+v, want what was in force, then the vote", sent)
			}
		})
	})
	t.Run("at once, by one that waited for its turn", func(t *testing.T) {
		some(t, 1, func(w *world) {
			n := w.nodes[0]
			w.append(put("j1", "c", nil))
			w.bring(n, 1)
			e := put("j2", "b", nil)
			e.Ramp = 1 << 60
			w.append(e)
			w.bring(n, 1)
			w.wantOn(n, "c", false)
			w.wantSent(replaced(w, n), KindSwitch, "b")
			w.wantOn(n, "b", false)
		})
	})
	t.Run("a decision that followed it still does", func(t *testing.T) {
		some(t, 2, func(w *world) {
			w.append(put("j1", "b", nil))
			w.all()
			other, n := w.nodes[0], w.nodes[1]
			w.replace()
			n.recovered(n.registry.Epoch(), "a")
			w.connect(other)
			w.bring(other, 1)
			w.flush(other)
			w.connect(n)
			w.bring(n, 1)
			w.wantSent(w.flush(n), KindSwitch, "a")
			w.wantOn(n, "a", false)
		})
	})
}
