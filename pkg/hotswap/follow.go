package hotswap

import (
	"math/rand/v2"
	"slices"
	"time"
)

// follower is the coordinator as the bus sees it.
type follower[P any] struct{ *coordinator[P] }

// Begin starts a fold from a blank state; what it comes to counts from CaughtUp.
func (c follower[P]) Begin() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.past, c.live = State{}, false
}

// Entry folds one entry. The past is folded silently, so that no instance flaps
// through history.
func (c follower[P]) Entry(p Position, e AdapterSwitchEvent) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
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
	if c.past, verdict = Fold(c.past, p, e); verdict == Accepted && !c.read && !e.Manual {
		c.flaps.note(c.registry.index(e.Target) == 0, e.Time, c.settings)
	}
}

func (c follower[P]) entry(p Position, e AdapterSwitchEvent) {
	var verdict Verdict
	c.log, verdict = Fold(c.log, p, e)
	own := e.Origin == c.settings.ID
	switch {
	case e.Kind == KindClaim:
		c.claimSettled(e, verdict)
	case verdict == Accepted:
		c.accepted(p, e, own)
	case verdict == Noted && e.Kind == KindVote:
		c.observers.emit(Voted{Event: e, Votes: c.log.Votes(e), Quorum: e.Quorum, Own: own})
	case c.pending != nil && c.pending.event.ID == e.ID:
		c.void(verdict)
		c.adopt(CauseVoided, 0)
	case !own:
		c.observers.emit(Ignored{Event: e, Position: p, Verdict: verdict})
	}
}

// accepted settles what an accepted entry means for an own decision that is
// still on its way: it is this entry, follows it, or gives way to it.
func (c follower[P]) accepted(p Position, e AdapterSwitchEvent, own bool) {
	latency := time.Since(e.Time)
	d := c.pending
	switch {
	case d != nil && d.event.ID == e.ID:
		c.pending = nil
		c.observers.emit(Confirmed{Event: e, Position: p, Latency: time.Since(d.made)})
		return
	case d != nil && (slices.Contains(d.bases, e.ID) || d.event.Manual && !e.Manual):
		c.rebase()
		return
	case d != nil:
		c.void(Stale)
	}
	if own && e.Kind == KindVote {
		c.announce(e)
	}
	c.adopt(CauseReceived, latency)
}

// rebase sends an own decision again, now after the entry in force. The caller
// holds mu.
func (c *coordinator[P]) rebase() {
	d := *c.pending
	after := c.log.Position
	d.event.ID, d.event.After = newID(), &after
	d.bases, d.sent = []string{c.log.ID}, false
	c.pending = &d
	wake(c.outbox)
}

func (c *coordinator[P]) void(v Verdict) {
	c.observers.emit(Voided{Event: c.pending.event, Verdict: v})
	c.pending = nil
}

// announce tells peers that count no votes what a quorum came to.
func (c *coordinator[P]) announce(vote AdapterSwitchEvent) {
	e := c.event(KindSwitch, vote.Target)
	e.Reason = "quorum"
	c.note(e)
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

// startRamp moves after a random part of the ramp, unless something newer stops
// it. The caller holds mu.
func (c *coordinator[P]) startRamp(s Switched) {
	delay := rand.N(c.log.Ramp)
	s.Latency += delay
	var timer *time.Timer
	timer = time.AfterFunc(delay, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.ramp == timer {
			c.ramp = nil
			c.move(s)
		}
	})
	c.ramp = timer
}

func (c *coordinator[P]) stopRamp() {
	if c.ramp != nil {
		c.ramp.Stop()
		c.ramp = nil
	}
}
