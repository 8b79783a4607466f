package hotswap

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"
)

// errClaimLost ends a canary because another instance has the right to probe by
// now.
var errClaimLost = errors.New("another instance probes")

// claims is what an instance knows of the right to probe for the cluster.
type claims struct {
	// at is when the last claim was read; lapses is when others stop waiting for
	// its holder. That is within one probe interval, and jittered: not everybody
	// claims at once.
	at, lapses time.Time
	id         string    // own claim on its way
	settled    chan bool // whether it was granted
}

func (cl *claims) read(s *Settings) {
	cl.at = time.Now()
	jitter := time.Duration(rand.Float64() * s.ProbeJitter * float64(s.ProbeInterval))
	cl.lapses = cl.at.Add(s.ProbeInterval - jitter)
}

// claimsNeeded reports whether probing takes a claim. An instance that is cut
// off, or apart from the cluster, probes for itself. The caller holds mu.
func (c *coordinator[P]) claimsNeeded() bool {
	return c.settings.OneProber && c.live && !c.alone
}

// claim asks the log for the right to probe for the cluster, if that is how
// probing is set. A claim that cannot be handed to the log is as good as granted:
// this instance is about to be cut off.
func (h *HealthChecker[P]) claim(ctx context.Context) bool {
	e, settled := h.c.claimEvent()
	if settled == nil {
		return true
	}
	if err := publishOne(ctx, h.bus, e); err != nil {
		return ctx.Err() == nil
	}
	t := time.NewTimer(h.c.settings.ProbeInterval)
	defer t.Stop()
	select {
	case granted := <-settled:
		return granted
	case <-t.C:
	case <-ctx.Done():
	}
	return false
}

// keepClaim renews the claim before it lapses under a long canary, and reports
// whether this instance still has it.
func (h *HealthChecker[P]) keepClaim(ctx context.Context) bool {
	age, own := h.c.claimHeld()
	if !own || age <= h.c.settings.ProbeInterval/2 {
		return own
	}
	return h.claim(ctx)
}

// claimEvent starts a claim. The channel, nil if no claim is needed, tells what
// the log made of it.
func (c *coordinator[P]) claimEvent() (AdapterSwitchEvent, <-chan bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.claimsNeeded() {
		return AdapterSwitchEvent{}, nil
	}
	e := c.event(KindClaim, "")
	after := max(c.log.Position, c.log.Claim.Position)
	e.After = &after
	c.claims.id, c.claims.settled = e.ID, make(chan bool, 1)
	return e, c.claims.settled
}

// claimHeld returns the age of the claim and whether it is this instance's, which
// it is always where none is needed.
func (c *coordinator[P]) claimHeld() (age time.Duration, own bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Since(c.claims.at), !c.claimsNeeded() || c.log.Claim.Origin == c.settings.ID
}

// claimSettled is what the log made of a claim. The caller holds mu.
func (c *coordinator[P]) claimSettled(e AdapterSwitchEvent, v Verdict) {
	if v == Noted {
		c.claims.read(c.settings)
		wake(c.health)
	}
	if c.claims.id != "" && e.ID == c.claims.id {
		c.claims.id = ""
		c.claims.settled <- v == Noted
	}
}
