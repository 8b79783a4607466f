package hotswap

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
)

// bounded counts operations that were left behind because they ignore their
// context.
type bounded struct {
	max       int64
	abandoned atomic.Int64
}

func newBounded(n int) *bounded { return &bounded{max: int64(n)} }

// panicked is a panic on its way from the goroutine of an operation to the
// caller.
type panicked struct{ value any }

func (p *panicked) Error() string { return fmt.Sprintf("panic: %v", p.value) }

// errGoexit is the error of an operation that ended its goroutine.
var errGoexit = errors.New("the operation called runtime.Goexit")

// runBounded runs op in a goroutine and returns when op does or when ctx ends,
// whichever is first. A panic of op comes back as a *panicked error. An op that
// ignores ctx is left behind, left says how many are; at the bound op is not
// started and the error matches ErrAbandoned.
func runBounded[R any](ctx context.Context, b *bounded, op func(context.Context) (R, error), left func(running int)) (R, error) {
	type result struct {
		r   R
		err error
	}
	if b.abandoned.Load() >= b.max {
		var none R
		return none, ErrAbandoned
	}
	var state atomic.Int32 // 0 running, 1 returned, 2 left behind
	done := make(chan result, 1)
	go func() {
		res := result{err: errGoexit}
		defer func() {
			if v := recover(); v != nil {
				res.err = &panicked{v}
			}
			if !state.CompareAndSwap(0, 1) {
				b.abandoned.Add(-1)
			}
			done <- res
		}()
		res.r, res.err = op(ctx)
	}()
	select {
	case res := <-done:
		return res.r, res.err
	case <-ctx.Done():
	}
	if n := b.abandoned.Add(1); state.CompareAndSwap(0, 2) {
		if left != nil {
			left(int(n))
		}
		var none R
		return none, ctx.Err()
	}
	b.abandoned.Add(-1)
	res := <-done
	return res.r, res.err
}
