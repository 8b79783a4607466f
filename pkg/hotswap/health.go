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
// before when. Epoch 0 is no need.
type probePlan struct {
	epoch     uint64
	notBefore time.Time
}

func (c *coordinator[P]) probePlan() probePlan {
	c.mu.Lock()
	defer c.mu.Unlock()
	active := c.registry.active.Load()
	if active.index == 0 || c.pinned() || c.ramp != nil {
		return probePlan{}
	}
	p := probePlan{epoch: active.epoch}
	if !c.alone {
		p.notBefore = c.flaps.left.Add(c.flaps.holdDown(c.settings))
	}
	if c.settings.OneProber && c.live && !c.alone && c.log.Claim.Origin != c.settings.ID && c.log.Claim.Position > 0 {
		p.notBefore = later(p.notBefore, c.claimedAt.Add(c.settings.ProbeInterval))
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
	var stay uint64
	var due time.Time
	for ctx.Err() == nil {
		plan := h.c.probePlan()
		if plan.epoch != stay {
			stay, due = plan.epoch, time.Now().Add(h.interval())
		}
		if !h.wait(ctx, plan, later(due, plan.notBefore)) {
			continue
		}
		h.check(ctx, plan.epoch)
		due = time.Now().Add(h.interval())
	}
}

// wait reports whether a probe is due; false means that the plan may have
// changed.
func (h *HealthChecker[P]) wait(ctx context.Context, plan probePlan, due time.Time) bool {
	var timer <-chan time.Time
	if plan.epoch != 0 {
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

// check probes what is preferred to the adapter of the stay, in order, and goes
// back to the first adapter that responds.
func (h *HealthChecker[P]) check(ctx context.Context, stay uint64) {
	if !h.claim(ctx) {
		return
	}
	active := h.c.registry.active.Load()
	for i := range active.index {
		a := &h.c.registry.adapters[i]
		if a.Probe == nil {
			continue
		}
		if err := h.responds(ctx, a); err != nil {
			continue
		}
		h.c.recovered(stay, a.Name)
		return
	}
	h.c.renewVote()
}

// responds asks the probe and, if one is set, the canary.
func (h *HealthChecker[P]) responds(ctx context.Context, a *Adapter[P]) error {
	err := h.ask(ctx, h.c.settings.ProbeTimeout, a.Probe)
	canary := false
	for n := 0; err == nil && n < h.c.settings.Canary; n++ {
		canary = true
		h.renewClaim(ctx)
		err = h.ask(ctx, h.c.settings.Timeout, func(ctx context.Context) error {
			return h.c.settings.CanaryCall(ctx, a.Port)
		})
	}
	if err != nil && ctx.Err() == nil {
		h.c.observers.emit(ProbeFailed{Adapter: a.Name, Err: err, Canary: canary})
	}
	return err
}

func (h *HealthChecker[P]) ask(ctx context.Context, timeout time.Duration, probe func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	_, err := runBounded(ctx, h.probes, func(ctx context.Context) (struct{}, error) {
		return struct{}{}, probe(ctx)
	}, nil)
	return err
}
