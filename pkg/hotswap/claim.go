package hotswap

import (
	"context"
	"time"
)

// claim asks the log for the right to probe for the cluster, if that is how
// probing is set. An instance that is cut off, or apart from the cluster, probes
// for itself.
func (h *HealthChecker[P]) claim(ctx context.Context) bool {
	e, needed := h.c.claimEvent()
	if !needed {
		return true
	}
	if err := publishOne(ctx, h.bus, e); err != nil {
		return ctx.Err() == nil
	}
	return h.c.granted(ctx, h.c.settings.ProbeInterval)
}

// renewClaim keeps a long canary from being taken for dead.
func (h *HealthChecker[P]) renewClaim(ctx context.Context) {
	if h.c.claimAge() > h.c.settings.ProbeInterval/2 {
		h.claim(ctx)
	}
}

func (c *coordinator[P]) claimEvent() (AdapterSwitchEvent, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.settings.OneProber || !c.live || c.alone {
		return AdapterSwitchEvent{}, false
	}
	e := c.event(KindClaim, "")
	after := max(c.log.Position, c.log.Claim.Position)
	e.After = &after
	c.claimed = make(chan bool, 1)
	c.claimID = e.ID
	return e, true
}

func (c *coordinator[P]) claimAge() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Since(c.claimedAt)
}

// granted waits until the log has settled the claim.
func (c *coordinator[P]) granted(ctx context.Context, bound time.Duration) bool {
	c.mu.Lock()
	claimed := c.claimed
	c.mu.Unlock()
	t := time.NewTimer(bound)
	defer t.Stop()
	select {
	case ok := <-claimed:
		return ok
	case <-t.C:
	case <-ctx.Done():
	}
	return false
}

// claimSettled is what the log made of a claim. The caller holds mu.
func (c *coordinator[P]) claimSettled(e AdapterSwitchEvent, v Verdict) {
	if v == Noted {
		c.claimedAt = time.Now()
		wake(c.health)
	}
	if c.claimID != "" && e.ID == c.claimID {
		c.claimID = ""
		c.claimed <- v == Noted
	}
}
