package hotswap

import "fmt"

const (
	reasonRecovered = "recovered"
	reasonManual    = "manual"
	reasonReleased  = "pin released"
)

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
	switch {
	case c.ramp != nil: // the cluster has left this adapter already
		c.endRamp()
	case next == len(c.registry.adapters) || c.pinned():
	case c.settings.Quorum > 1:
		c.vote(c.registry.adapters[next].Name, reason)
	default:
		e := c.event(KindSwitch, c.registry.adapters[next].Name)
		e.Reason, e.Quorum = reason, c.settings.Quorum
		c.decide(e, CauseFailure)
	}
	return true
}

// recovered goes back to a preferred adapter, if the activation that was probed
// for is still the active one.
func (c *coordinator[P]) recovered(epoch uint64, target string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.registry.Epoch() != epoch || c.pinned() || c.ramp != nil {
		return
	}
	if c.alone && c.registry.index(target) >= c.registry.index(c.cluster()) {
		c.recoveredAlone(target)
		return
	}
	e := c.event(KindSwitch, target)
	e.Reason, e.Ramp = reasonRecovered, c.settings.Ramp
	c.decide(e, CauseRecovery)
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
	e.Reason, e.Manual, e.Pinned = reasonManual, true, pin
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
	e := c.event(KindSwitch, c.cluster())
	e.Reason, e.Manual = reasonReleased, true
	c.decide(e, CauseManual)
}
