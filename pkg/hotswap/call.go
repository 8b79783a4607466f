package hotswap

import (
	"context"
	"time"
)

// Mode says what may be done to an operation when its adapter fails or is
// replaced while it runs. It is the caller's promise about the operation.
type Mode uint8

const (
	// Repeatable operations may run twice, even at the same time on two adapters:
	// reads, and writes that carry a key. A call in flight is rescued: when its
	// adapter is replaced it is cancelled and runs again on the new one, so that
	// it never waits out a timeout that another call has waited out already.
	Repeatable Mode = iota
	// AtLeastOnce operations are not cut short: they finish on the adapter on
	// which they began. After a failure they run again on the next adapter, even
	// though the first run may have taken effect.
	AtLeastOnce
	// AtMostOnce operations finish on the adapter on which they began and are
	// tried on no other, unless the failure proves that no connection was made.
	AtMostOnce
)

// maxRescues bounds how often one call is rescued. After that it finishes on the
// adapter that it is on, so that no sequence of switches can keep it from an
// answer.
const maxRescues = 3

// Call runs op on the active adapter of in, guarded: within the timeout, rescued
// when the adapter is replaced, and answered by the next adapter when it fails
// (article, "Timeout detection + broadcast"). It never waits for the bus.
//
// The context given to op ends at the timeout, with ctx, when Call returns, and,
// for Repeatable operations, with the adapter's activation. The error is op's own
// when it is an answer (see Settings.Classify), ctx's when the caller gave up,
// and a *FailedError when no adapter answered. A panic of op reaches the caller.
func Call[P, R any](ctx context.Context, in *Instance[P], mode Mode, op func(context.Context, P) (R, error)) (R, error) {
	c := call[P, R]{in: in, ctx: ctx, mode: mode, op: op}
	if in.closed.Load() {
		return c.result, ErrClosed
	}
	if c.onActive(in.registry.active.Load()) {
		return c.result, c.err
	}
	return c.further()
}

// call is one guarded call: the adapters it has tried and what came of them.
type call[P, R any] struct {
	in   *Instance[P]
	ctx  context.Context
	mode Mode
	op   func(context.Context, P) (R, error)

	rescues  int
	tried    uint64 // a bit per adapter
	last     int    // the adapter tried last
	failures []AdapterFailure

	result R
	err    error
}

// onActive runs the operation under an activation, following rescues from one to
// the next. It reports whether the call is over.
func (c *call[P, R]) onActive(a *activation[P]) bool {
	for {
		switch c.attempt(a) {
		case over:
			return true
		case rescued:
			a = c.in.registry.active.Load()
		case failed:
			return false
		}
	}
}

// further answers a call whose adapter failed from the adapters after it.
func (c *call[P, R]) further() (R, error) {
	for c.mayGoOn() {
		active := c.in.registry.active.Load()
		if c.tried&(1<<active.index) == 0 {
			if c.onActive(active) {
				return c.result, c.err
			}
			continue
		}
		i, left := c.untried()
		if !left {
			return c.result, &FailedError{Failures: c.failures, All: true}
		}
		if c.aside(i) == over {
			return c.result, c.err
		}
	}
	return c.result, &FailedError{Failures: c.failures}
}

func (c *call[P, R]) mayGoOn() bool {
	return c.mode != AtMostOnce || neverStarted(c.failures[len(c.failures)-1].Err)
}

// untried returns the first adapter after the one tried last, in a circle, that
// this call has not tried.
func (c *call[P, R]) untried() (int, bool) {
	n := len(c.in.registry.adapters)
	for k := 1; k < n; k++ {
		if i := (c.last + k) % n; c.tried&(1<<i) == 0 {
			return i, true
		}
	}
	return 0, false
}

func (c *call[P, R]) fail(index int, err error) outcome {
	c.tried |= 1 << index
	c.last = index
	c.failures = append(c.failures, AdapterFailure{c.in.registry.adapters[index].Name, err})
	return failed
}

// timeout is the bound of an attempt that starts now.
func (c *call[P, R]) timeout() time.Duration {
	s := c.in.settings
	if s.TimeoutJitter > 0 {
		return s.Timeout + jitter(s.TimeoutJitter)
	}
	return s.Timeout
}
