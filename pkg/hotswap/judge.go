package hotswap

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// meaning is what the end of an attempt says about the adapter.
type meaning uint8

const (
	adapterAnswered meaning = iota
	adapterFailed
	callerGaveUp
)

// judge finds out what an attempt under ctx says about the adapter. A caller
// that gave up, or whose own deadline came before ours, says nothing. After the
// end of ctx, be it the timeout or a rescue, an error is a failure unless the
// adapter marks it as an answer.
func (c *call[P, R]) judge(ctx context.Context) meaning {
	switch {
	case c.err == nil:
		return adapterAnswered
	case c.gaveUp(ctx):
		return callerGaveUp
	case hasEnded(ctx, c.err):
		if failure, said := mark(c.err); said && !failure {
			return adapterAnswered
		}
		c.err = namedTimeout(ctx, c.err)
		return adapterFailed
	case errors.Is(c.err, ErrAbandoned), c.in.settings.Classify(c.err):
		return adapterFailed
	}
	return adapterAnswered
}

// gaveUp reports whether it was the caller who ended the attempt: its context
// has ended, or has the deadline that ended the attempt.
func (c *call[P, R]) gaveUp(ctx context.Context) bool {
	if c.ctx.Err() != nil {
		return true
	}
	ours, _ := ctx.Deadline()
	theirs, limited := c.ctx.Deadline()
	return limited && theirs.Equal(ours) && hasEnded(c.ctx, c.err)
}

// clockSlack is how far a connection's own timer may be ahead of the deadline
// that it was set for.
const clockSlack = 10 * time.Millisecond

// hasEnded reports whether ctx has ended, or err says so a moment early: package
// net sets timers of its own for the deadline of a context.
func hasEnded(ctx context.Context, err error) bool {
	if ctx.Err() != nil {
		return true
	}
	deadline, limited := ctx.Deadline()
	return limited && isTimeout(err) && time.Until(deadline) < clockSlack
}

// namedTimeout makes an error that only says that something was cut short a
// timeout, when that is why.
func namedTimeout(ctx context.Context, err error) error {
	if _, said := mark(err); said || isTimeout(err) || !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return err
	}
	return fmt.Errorf("%w: %w", context.DeadlineExceeded, err)
}

// giveUp ends a call whose caller gave up, with the caller's error.
func (c *call[P, R]) giveUp() outcome {
	cause := c.ctx.Err()
	if cause == nil {
		cause = context.DeadlineExceeded
	}
	if !errors.Is(c.err, cause) {
		c.err = cause
	}
	return over
}
