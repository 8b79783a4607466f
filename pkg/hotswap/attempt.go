package hotswap

import (
	"context"
	"errors"
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
	started := c.in.started()
	armed := c.mode == Repeatable && c.rescues < maxRescues
	var node *inflight
	if armed {
		node = &inflight{cancel: cancel}
		for !a.enter(node) {
			a = c.in.registry.active.Load()
		}
		defer func() {
			if node != nil {
				a.leave(node)
			}
		}()
	}
	c.run(ctx, a.adapter)
	if c.err == nil {
		c.answered(a, node, started)
		node = nil
		return over
	}
	switch c.judge(ctx) {
	case callerGaveUp:
		c.err = callerError(c.ctx, c.err)
		return over
	case adapterAnswered:
		if armed && a.over() {
			return c.rescue(a, started)
		}
		c.answered(a, node, started)
		node = nil
		return over
	}
	return c.failedUnder(a, armed, started)
}

// answered settles an answer: within its activation it ends a row of failures.
// Observers are told under the activation's lock, so that no answer is told
// after the switch that ended its activation, unless it is marked as late.
func (c *call[P, R]) answered(a *activation[P], node *inflight, started time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if node != nil {
		node.unlink()
	}
	if !a.ended {
		a.trip.success(&c.in.settings.Trip)
	}
	if len(c.in.observers) > 0 {
		c.in.observers.emit(Answered{Adapter: a.adapter.Name, Epoch: a.epoch, Result: c.result, Err: c.err,
			Took: since(started), Late: a.ended, Rescued: c.rescues > 0})
	}
}

// rescue has the operation run again, because the activation ended under it.
func (c *call[P, R]) rescue(a *activation[P], started time.Time) outcome {
	c.rescues++
	to := c.in.registry.ActiveName()
	c.in.observers.emit(Rescued{From: a.adapter.Name, To: to, Waited: since(started)})
	return rescued
}

// failedUnder counts a failure against the activation under which it happened.
func (c *call[P, R]) failedUnder(a *activation[P], armed bool, started time.Time) outcome {
	inRow, decides, stale := a.failed(&c.in.settings.Trip)
	if stale && armed {
		return c.rescue(a, started)
	}
	c.in.observers.emit(Failed{Adapter: a.adapter.Name, Err: c.err, Took: since(started), InRow: inRow, Stale: stale})
	if decides {
		c.in.coordinator.failed(a, Reason(c.err))
	}
	return c.fail(a.index, c.err)
}

// aside runs the operation on an adapter that is not active: for this call
// alone, without a word about the adapter.
func (c *call[P, R]) aside(index int) outcome {
	ctx, cancel := context.WithTimeout(c.ctx, c.timeout())
	defer cancel()
	started := c.in.started()
	adapter := &c.in.registry.adapters[index]
	c.run(ctx, adapter)
	switch {
	case c.err == nil:
		c.in.observers.emit(Answered{Adapter: adapter.Name, Result: c.result, Took: since(started), Aside: true})
		return over
	case c.judge(ctx) == callerGaveUp:
		c.err = callerError(c.ctx, c.err)
		return over
	case c.judge(ctx) == adapterAnswered:
		return over
	}
	c.in.observers.emit(Failed{Adapter: adapter.Name, Err: c.err, Took: since(started), Aside: true})
	return c.fail(index, c.err)
}

// run calls the operation, in a goroutine of its own when the timeout is a hard
// deadline.
func (c *call[P, R]) run(ctx context.Context, adapter *Adapter[P]) {
	if c.in.abandoned == nil {
		c.result, c.err = c.op(ctx, adapter.Port)
		return
	}
	c.result, c.err = runHard(ctx, c.in, c.op, adapter)
}

func runHard[P, R any](ctx context.Context, in *Instance[P], op func(context.Context, P) (R, error), adapter *Adapter[P]) (R, error) {
	r, err := runBounded(ctx, in.abandoned,
		func(ctx context.Context) (R, error) { return op(ctx, adapter.Port) },
		func(running int) { in.observers.emit(Abandoned{Adapter: adapter.Name, Running: running}) })
	var p *panicked
	if errors.As(err, &p) {
		panic(p.value)
	}
	return r, err
}

// meaning is what an error says about the adapter.
type meaning uint8

const (
	adapterFailed meaning = iota
	adapterAnswered
	callerGaveUp
)

// judge finds out whose error it is. A caller that gave up, or whose own
// deadline came before ours, says nothing about the adapter.
func (c *call[P, R]) judge(ctx context.Context) meaning {
	if c.ctx.Err() != nil {
		return callerGaveUp
	}
	ours, _ := ctx.Deadline()
	if theirs, ok := c.ctx.Deadline(); ok && !theirs.After(ours) && isTimeout(c.err) && !time.Now().Before(theirs) {
		return callerGaveUp
	}
	if ctx.Err() != nil {
		if failure, said := mark(c.err); !said || failure {
			return adapterFailed
		}
		return adapterAnswered
	}
	if c.in.settings.Classify(c.err) {
		return adapterFailed
	}
	return adapterAnswered
}

// callerError is what a caller that gave up is told.
func callerError(ctx context.Context, err error) error {
	if cause := ctx.Err(); cause != nil && !errors.Is(err, cause) {
		return cause
	}
	return err
}

func jitter(d time.Duration) time.Duration { return rand.N(d) }

func since(started time.Time) time.Duration {
	if started.IsZero() {
		return 0
	}
	return time.Since(started)
}
