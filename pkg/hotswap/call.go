package hotswap

import "context"

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
	// tried on no other, unless the failure proves that no connection was made:
	// then nothing can have taken effect, if the operation makes one connection.
	AtMostOnce
)

// maxRescues bounds how often one call is rescued. After that it finishes on the
// adapter that it is on, so that no sequence of switches can keep it from an
// answer.
const maxRescues = 3

// Call runs op on the active adapter of in, guarded: within the timeout, rescued
// when the adapter is replaced, and answered by the next adapter when it fails
// (article, "Timeout detection + broadcast"). It never waits for the bus. It
// takes at most one timeout for each adapter, and in that time is rescued at
// most three times.
//
// The context given to op ends at the timeout, with ctx, when Call returns, and,
// for Repeatable operations, with the adapter's activation. The error is op's own
// when it is an answer (see Settings.Classify), ctx's when the caller gave up, a
// *FailedError when no adapter answered, and ErrClosed after Close. A panic of op
// reaches the caller, and says nothing about the adapter.
func Call[P, R any](ctx context.Context, in *Instance[P], mode Mode, op func(context.Context, P) (R, error)) (R, error) {
	c := call[P, R]{in: in, ctx: ctx, mode: mode, op: op}
	if in.closed.Load() {
		return c.result, ErrClosed
	}
	if c.onActive(in.registry.active.Load()) == over {
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
	tried    uint64 // a bit per adapter that failed
	last     int    // the adapter that failed last
	failures []AdapterFailure

	result R
	err    error
}

// onActive runs the operation under an activation, following rescues from one to
// the next.
func (c *call[P, R]) onActive(a *activation[P]) outcome {
	o := c.attempt(a)
	for o == rescued {
		o = c.attempt(c.in.registry.active.Load())
	}
	return o
}

// further answers a call whose adapter failed: from the adapter that is active
// now, or else from the adapters after the one that failed.
func (c *call[P, R]) further() (R, error) {
	for {
		i, left := c.untried()
		if !left || !c.mayGoOn() {
			return c.result, &FailedError{Failures: c.failures, All: !left}
		}
		if c.tryNext(i) == over {
			return c.result, c.err
		}
	}
}

func (c *call[P, R]) tryNext(untried int) outcome {
	if active := c.in.registry.active.Load(); !c.hasTried(active.index) {
		return c.onActive(active)
	}
	return c.aside(untried)
}

func (c *call[P, R]) mayGoOn() bool {
	return c.mode != AtMostOnce || neverStarted(c.failures[len(c.failures)-1].Err)
}

// untried returns the first adapter after the one tried last, in a circle, that
// this call has not tried.
func (c *call[P, R]) untried() (int, bool) {
	n := len(c.in.registry.adapters)
	for k := 1; k < n; k++ {
		if i := (c.last + k) % n; !c.hasTried(i) {
			return i, true
		}
	}
	return 0, false
}

func (c *call[P, R]) hasTried(index int) bool { return c.tried&(1<<index) != 0 }

// fail notes that an adapter failed this call. What it returned beside its error
// is dropped.
func (c *call[P, R]) fail(index int) outcome {
	c.result = *new(R)
	c.tried |= 1 << index
	c.last = index
	c.failures = append(c.failures, AdapterFailure{c.in.registry.adapters[index].Name, c.err})
	return failed
}
