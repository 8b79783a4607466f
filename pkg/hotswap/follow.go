package hotswap

import (
	"slices"
	"time"
)

// follower is the coordinator as the bus sees it.
type follower[P any] struct{ *coordinator[P] }

// Begin starts a fold from a blank state; what it comes to counts from CaughtUp.
func (c follower[P]) Begin() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.past, c.pastFlaps, c.pastEnd, c.live, c.notes = State{}, flaps{}, 0, false, nil
}

// Entry folds one entry. The past is folded silently, so that no instance flaps
// through history.
func (c follower[P]) Entry(p Position, e AdapterSwitchEvent) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case e.ID == "" || e.Origin == "": // an id of nothing means a blank log
		c.observers.emit(Ignored{Event: e, Position: p, Unknown: true})
	case (e.Kind == KindSwitch || e.Kind == KindVote) && c.registry.index(e.Target) < 0:
		c.observers.emit(Ignored{Event: e, Position: p, Unknown: true})
	case c.live:
		c.entry(p, e)
	default:
		c.replay(p, e)
	}
}

func (c follower[P]) replay(p Position, e AdapterSwitchEvent) {
	var verdict Verdict
	c.pastEnd = p
	if c.past, verdict = Fold(c.past, p, e); verdict == Accepted {
		at := e.Time
		if now := time.Now(); at.After(now) {
			at = now // a clock ahead of ours must not hold us down for longer
		}
		c.noteFlap(&c.pastFlaps, e, at)
	}
}

func (c follower[P]) entry(p Position, e AdapterSwitchEvent) {
	var verdict Verdict
	c.log, verdict = Fold(c.log, p, e)
	own := e.Origin == c.settings.ID
	if !own {
		c.compareQuorum(e)
	}
	switch {
	case e.Kind == KindClaim:
		c.claimSettled(e, verdict)
	case verdict == Accepted:
		c.accepted(e)
	case verdict == Restated:
		c.restated()
	case e.Kind == KindWithdraw:
	case verdict == Noted:
		c.observers.emit(Voted{Event: e, Votes: c.log.Votes(e), Quorum: e.Quorum, Own: own})
	case c.pending != nil && c.pending.event.ID == e.ID:
		c.void(verdict)
		c.adopt(CauseVoided, 0)
	case !own:
		c.observers.emit(Ignored{Event: e, Position: p, Verdict: verdict})
	}
	c.announceAfter(p, e)
}

// accepted settles what an accepted entry means for an own decision that is
// still on its way: it is this entry, follows it, or gives way to it.
func (c *coordinator[P]) accepted(e AdapterSwitchEvent) {
	c.noteFlap(&c.flaps, e, time.Now())
	d := c.pending
	switch {
	case d != nil && d.event.ID == e.ID:
		c.confirmed()
	case d != nil && (slices.Contains(d.bases, e.ID) || d.event.Manual && !e.Manual):
		c.rebase()
	default:
		if d != nil {
			c.void(Stale)
		}
		c.adopt(CauseReceived, time.Since(e.Time))
	}
	c.stayAlone(stillFailing)
}

// confirmed ends the wait for an own decision: the log has it in force. The
// caller holds mu.
func (c *coordinator[P]) confirmed() {
	d := c.pending
	c.pending = nil
	c.observers.emit(Confirmed{Event: d.event, Position: c.log.Position, Latency: time.Since(d.made)})
}

// rebase has an own decision follow the entry in force. It stays the same event
// if it did so already: the log may hold it all the same. The caller holds mu.
func (c *coordinator[P]) rebase() {
	if c.returnFailed() {
		c.pending = nil
		return
	}
	d := *c.pending
	if *d.event.After != c.log.Position {
		after := c.log.Position
		d.event.ID, d.event.After = newID(), &after
	}
	d.bases, d.sent = []string{c.log.ID}, false
	c.pending = &d
	wake(c.outbox)
}

func (c *coordinator[P]) void(v Verdict) {
	c.observers.emit(Voided{Event: c.pending.event, Verdict: v})
	c.pending = nil
}

// adopt moves this instance to what the log has in force. The caller holds mu.
func (c *coordinator[P]) adopt(cause Cause, latency time.Duration) {
	c.stopRamp()
	c.alone = false
	s := c.log
	if s.Adapter == "" {
		return
	}
	moves := c.registry.ActiveName() != s.Adapter
	move := Switched{To: s.Adapter, Cause: cause, Reason: s.Reason, Position: s.Position, Latency: latency}
	if cause == CauseReceived && moves {
		c.observers.emit(Received{Event: s.event(), Position: s.Position, Latency: latency})
		if s.Ramp > 0 && c.live {
			c.startRamp(move)
			return
		}
	}
	c.move(move)
}

// event is what a state keeps of the entry that made it.
func (s State) event() AdapterSwitchEvent {
	return AdapterSwitchEvent{ID: s.ID, Origin: s.Origin, Target: s.Adapter, Time: s.Time,
		Reason: s.Reason, Ramp: s.Ramp, Pinned: s.Pinned}
}
