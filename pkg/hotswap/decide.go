package hotswap

import "fmt"

// failed decides to leave the adapter of an activation that has failed often
// enough. Of many failures of one activation, the first decides; it reports
// false for the others, which came too late. An operator's pin and the end of
// the list stop it.
func (c *coordinator[P]) failed(a *activation[P], reason string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.registry.active.Load() != a {
		return false
	}
	next := a.index + 1
	if next == len(c.registry.adapters) || c.pinned() {
		return true
	}
	target := c.registry.adapters[next].Name
	if c.settings.Quorum > 1 {
		c.vote(target, reason)
		return true
	}
	e := c.event(KindSwitch, target)
	e.Reason = reason
	c.decide(e, CauseFailure)
	return true
}

// vote moves this instance for itself alone and asks the others. The caller
// holds mu.
func (c *coordinator[P]) vote(target, reason string) {
	c.alone = true
	c.pending = nil
	c.stopRamp()
	c.observers.emit(Decided{From: c.registry.ActiveName(), Target: target, Cause: CauseAlone, Reason: reason})
	c.move(Switched{To: target, Cause: CauseAlone, Reason: reason})
	c.castVote(reason)
}

// castVote asks for the adapter that this instance uses for itself. A vote
// expires, so it is cast again while the reason lasts. The caller holds mu.
func (c *coordinator[P]) castVote(reason string) {
	e := c.event(KindVote, c.registry.ActiveName())
	e.Reason, e.Quorum, e.Window = reason, c.settings.Quorum, c.settings.QuorumWindow
	c.note(e)
}

// renewVote is what a probe that failed again means.
func (c *coordinator[P]) renewVote() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.alone {
		c.castVote("still failing")
	}
}

// recovered goes back to a preferred adapter, if the activation that was probed
// for is still the active one.
func (c *coordinator[P]) recovered(epoch uint64, target string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.registry.Epoch() != epoch || c.pinned() {
		return
	}
	if c.alone {
		c.withdraw(target)
		return
	}
	e := c.event(KindSwitch, target)
	e.Reason, e.Ramp = "recovered", c.settings.Ramp
	c.decide(e, CauseRecovery)
}

// withdraw ends a stay apart from the cluster. The caller holds mu.
func (c *coordinator[P]) withdraw(target string) {
	c.alone = false
	e := c.event(KindWithdraw, "")
	c.observers.emit(Decided{From: c.registry.ActiveName(), Target: target, Cause: CauseAlone, Reason: "recovered", Event: e})
	c.note(e)
	c.move(Switched{To: target, Cause: CauseAlone, Reason: "recovered"})
}

// manual is an operator's switch.
func (c *coordinator[P]) manual(target string, pin bool) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.registry.index(target) < 0 {
		return fmt.Errorf("%w: %q, want one of %q", ErrUnknownAdapter, target, c.registry.Names())
	}
	if c.registry.ActiveName() == target && c.pinned() == pin && !c.alone && c.ramp == nil {
		return nil
	}
	e := c.event(KindSwitch, target)
	e.Reason, e.Manual, e.Pinned = "manual", true, pin
	c.decide(e, CauseManual)
	return nil
}

// release ends a pin.
func (c *coordinator[P]) release() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.pinned() {
		return
	}
	e := c.event(KindSwitch, c.registry.ActiveName())
	e.Reason, e.Manual = "pin released", true
	c.decide(e, CauseManual)
}
