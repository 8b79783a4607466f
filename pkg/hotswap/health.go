package hotswap

import (
	"context"
	"math/rand/v2"
	"time"
)

// HealthChecker probes the adapters that are preferred to the active one, and
// has the instance go back to the first that responds (article, "Recovery
// detection"). Its schedule is jittered, so that instances that switched
// together do not probe together, and no probe can stop it: one that hangs,
// panics or ignores its context counts as failed.
type HealthChecker[P any] struct {
	c      *coordinator[P]
	bus    Bus
	probes *bounded
}

// maxAbandonedProbes bounds the probes that were left behind because they ignore
// their context.
const maxAbandonedProbes = 8

func newHealthChecker[P any](c *coordinator[P], bus Bus) *HealthChecker[P] {
	return &HealthChecker[P]{c: c, bus: bus, probes: newBounded(maxAbandonedProbes)}
}

// probePlan says for which stay on a less preferred adapter to probe, and not
// before when. The zero stay is no need.
type probePlan struct {
	stay      stay
	notBefore time.Time
}

// stay is an activation under a switch in force. Each has an interval before its
// first probe.
type stay struct {
	epoch    uint64
	position Position
}

func (c *coordinator[P]) probePlan() probePlan {
	c.mu.Lock()
	defer c.mu.Unlock()
	active := c.registry.active.Load()
	if active.index == 0 || c.pinned() || c.ramp != nil {
		return probePlan{}
	}
	p := probePlan{stay: stay{active.epoch, c.log.Position}}
	if !c.alone {
		p.notBefore = c.flaps.left.Add(c.flaps.holdDown(c.settings))
	}
	if c.claimsNeeded() && c.log.Claim.Position > 0 && c.log.Claim.Origin != c.settings.ID {
		p.notBefore = later(p.notBefore, c.claims.lapses)
	}
	return p
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// run checks until ctx ends.
func (h *HealthChecker[P]) run(ctx context.Context) {
	var present stay
	var due time.Time
	for ctx.Err() == nil {
		plan := h.c.probePlan()
		if plan.stay != present {
			present, due = plan.stay, time.Now().Add(h.interval())
		}
		if !h.wait(ctx, plan, later(due, plan.notBefore)) {
			continue
		}
		h.check(ctx, plan.stay.epoch)
		due = time.Now().Add(h.interval())
	}
}

// wait reports whether a probe is due; false means that the plan may have
// changed.
func (h *HealthChecker[P]) wait(ctx context.Context, plan probePlan, due time.Time) bool {
	var timer <-chan time.Time
	if plan.stay != (stay{}) {
		t := time.NewTimer(time.Until(due))
		defer t.Stop()
		timer = t.C
	}
	select {
	case <-timer:
		return true
	case <-h.c.health:
	case <-ctx.Done():
	}
	return false
}

func (h *HealthChecker[P]) interval() time.Duration {
	s := h.c.settings
	spread := s.ProbeJitter * float64(s.ProbeInterval)
	return s.ProbeInterval + time.Duration((2*rand.Float64()-1)*spread)
}
