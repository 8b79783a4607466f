package hotswap

import (
	"context"
	"math/rand/v2"
	"time"
)

// outcome is what one attempt means for its call.
type outcome uint8

const (
	over    outcome = iota // result and err are the caller's
	rescued                // the activation ended: again on the one after it
	failed                 // the adapter failed: on to the next
)

// attempt runs the operation once under activation a, or under the one after it
// if a has ended.
func (c *call[P, R]) attempt(a *activation[P]) outcome {
	ctx, cancel := context.WithTimeout(c.ctx, c.timeout())
	defer cancel()
	started := c.in.observers.started()
	armed := c.mayBeRescued()
	if armed {
		entry := c.in.inflight.take(cancel)
		a = c.enter(a, entry)
		defer c.in.inflight.giveBack(entry)
	}
	c.run(ctx, a.index)
	switch c.judge(ctx) {
	case callerGaveUp:
		return c.giveUp()
	case adapterFailed:
		return c.failedUnder(a, armed, started)
	}
	if c.err != nil && armed && a.over() {
		return c.rescue(a, started)
	}
	c.answeredUnder(a, started)
	return over
}

func (c *call[P, R]) mayBeRescued() bool { return c.mode == Repeatable && c.rescues < maxRescues }

// enter registers the call with a, or with the activation after it if a has
// ended.
func (c *call[P, R]) enter(a *activation[P], entry *inflightCall) *activation[P] {
	for !a.calls.enter(entry) {
		a = c.in.registry.active.Load()
	}
	return a
}

// answeredUnder settles an answer: within its activation it ends a row of
// failures.
func (c *call[P, R]) answeredUnder(a *activation[P], started time.Time) {
	if len(c.in.observers) == 0 {
		a.answered(&c.in.settings.Trip, nil)
		return
	}
	a.answered(&c.in.settings.Trip, func(late bool) {
		c.in.observers.emit(Answered{Adapter: a.adapter.Name, Epoch: a.epoch, Result: c.result, Err: c.err,
			Took: time.Since(started), Late: late, Rescued: c.rescues > 0})
	})
}

// rescue has the operation run again, because the activation ended under it.
func (c *call[P, R]) rescue(a *activation[P], started time.Time) outcome {
	c.rescues++
	to := c.in.registry.ActiveName()
	c.in.observers.emit(Rescued{From: a.adapter.Name, To: to, Waited: time.Since(started)})
	return rescued
}

// failedUnder counts a failure against the activation under which it happened,
// and decides when that was one too many. A failure that comes too late is the
// sign of a rescue.
func (c *call[P, R]) failedUnder(a *activation[P], armed bool, started time.Time) outcome {
	decides, stale := a.failed(&c.in.settings.Trip, func(inRow int, stale bool) {
		if stale && armed {
			return
		}
		c.in.observers.emit(Failed{Adapter: a.adapter.Name, Err: c.err, Took: time.Since(started), InRow: inRow, Stale: stale})
	})
	if stale && armed {
		return c.rescue(a, started)
	}
	if decides {
		c.in.coordinator.failed(a, Reason(c.err))
	}
	return c.fail(a.index)
}

// aside runs the operation on an adapter that is not active: for this call
// alone, without a word about the adapter.
func (c *call[P, R]) aside(index int) outcome {
	ctx, cancel := context.WithTimeout(c.ctx, c.timeout())
	defer cancel()
	started := c.in.observers.started()
	name := c.in.registry.adapters[index].Name
	c.run(ctx, index)
	switch c.judge(ctx) {
	case callerGaveUp:
		return c.giveUp()
	case adapterFailed:
		c.in.observers.emit(Failed{Adapter: name, Err: c.err, Took: time.Since(started), Aside: true})
		return c.fail(index)
	}
	if len(c.in.observers) > 0 {
		c.in.observers.emit(Answered{Adapter: name, Result: c.result, Err: c.err, Took: time.Since(started),
			Rescued: c.rescues > 0, Aside: true})
	}
	return over
}

// run calls the operation, in a goroutine of its own when the timeout is a hard
// deadline. It is not called for a caller that is gone.
func (c *call[P, R]) run(ctx context.Context, index int) {
	if c.err = c.ctx.Err(); c.err != nil {
		return
	}
	if c.in.abandoned != nil {
		c.result, c.err = runHard(ctx, c.in, c.op, index)
		return
	}
	c.result, c.err = c.op(ctx, c.in.registry.adapters[index].Port)
}

// timeout is the bound of an attempt that starts now.
func (c *call[P, R]) timeout() time.Duration {
	s := c.in.settings
	if s.TimeoutJitter > 0 {
		return s.Timeout + rand.N(s.TimeoutJitter)
	}
	return s.Timeout
}
