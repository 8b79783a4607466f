package hotswap

import (
	"context"
	"errors"
	"time"
)

// check probes what is preferred to the active adapter, in order, and goes
// back to the first adapter that responds.
func (h *HealthChecker[P]) check(ctx context.Context, epoch uint64) {
	if !h.claim(ctx) {
		return
	}
	active := h.c.registry.active.Load()
	for i := range active.index {
		a := &h.c.registry.adapters[i]
		if a.Probe == nil {
			continue
		}
		err := h.responds(ctx, a)
		if err == nil {
			h.c.recovered(epoch, a.Name)
		}
		if err == nil || errors.Is(err, errClaimLost) {
			return
		}
	}
	h.c.renewVote()
}

// responds asks the probe and, if one is set, the canary.
func (h *HealthChecker[P]) responds(ctx context.Context, a *Adapter[P]) error {
	if err := h.ask(ctx, h.c.settings.ProbeTimeout, a.Probe); err != nil {
		return h.tell(ctx, ProbeFailed{Adapter: a.Name, Err: err})
	}
	for range h.c.settings.Canary {
		if !h.keepClaim(ctx) {
			return errClaimLost
		}
		err := h.ask(ctx, h.c.settings.Timeout, func(ctx context.Context) error {
			return h.c.settings.CanaryCall(ctx, a.Port)
		})
		if err != nil {
			return h.tell(ctx, ProbeFailed{Adapter: a.Name, Err: err, Canary: true})
		}
	}
	return nil
}

// tell reports a failed probe, unless it failed because the checker ends.
func (h *HealthChecker[P]) tell(ctx context.Context, failed ProbeFailed) error {
	if ctx.Err() == nil {
		h.c.observers.emit(failed)
	}
	return failed.Err
}

func (h *HealthChecker[P]) ask(ctx context.Context, timeout time.Duration, probe func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	_, err := runBounded(ctx, h.probes, func(ctx context.Context) (struct{}, error) {
		return struct{}{}, probe(ctx)
	}, nil)
	return err
}
