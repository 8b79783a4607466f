package hotswap

import (
	"context"
	"errors"
	"fmt"
	"runtime"
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

// runHard runs op on one adapter with a hard deadline. A panic and a Goexit of
// op are the caller's, as they are without the deadline.
func runHard[P, R any](ctx context.Context, in *Instance[P], op func(context.Context, P) (R, error), index int) (R, error) {
	adapter := &in.registry.adapters[index]
	r, err := runBounded(ctx, in.abandoned[index],
		func(ctx context.Context) (R, error) { return op(ctx, adapter.Port) },
		func(running int) { in.observers.emit(Abandoned{Adapter: adapter.Name, Running: running}) })
	var p *panicked
	switch {
	case errors.As(err, &p):
		panic(p.value)
	case errors.Is(err, errGoexit):
		runtime.Goexit()
	}
	return r, err
}

// The end of an operation that runs in a goroutine of its own: whoever is first
// to say, the operation or the one who waits for it, is right.
const (
	running int32 = iota
	returned
	leftBehind
)

type boundedOp[R any] struct {
	*bounded
	end  atomic.Int32
	done chan result[R]
}

type result[R any] struct {
	r   R
	err error
}

// runBounded runs op in a goroutine and returns when op does or when ctx ends,
// whichever is first. A panic of op comes back as a *panicked error, a Goexit as
// errGoexit. An op that ignores ctx is left behind, left says how many are; once
// the bound is reached op is not started and the error is ErrAbandoned.
func runBounded[R any](ctx context.Context, b *bounded, op func(context.Context) (R, error), left func(running int)) (R, error) {
	if b.abandoned.Load() >= b.max {
		return *new(R), ErrAbandoned
	}
	o := &boundedOp[R]{bounded: b, done: make(chan result[R], 1)}
	go o.run(ctx, op)
	select {
	case res := <-o.done:
		return res.r, res.err
	case <-ctx.Done():
		return o.leave(ctx, left)
	}
}

func (o *boundedOp[R]) run(ctx context.Context, op func(context.Context) (R, error)) {
	res := result[R]{err: errGoexit}
	defer func() {
		if v := recover(); v != nil {
			res.err = &panicked{v}
		}
		if !o.end.CompareAndSwap(running, returned) {
			o.abandoned.Add(-1)
		}
		o.done <- res
	}()
	res.r, res.err = op(ctx)
}

// leave gives up waiting, unless the operation has just returned.
func (o *boundedOp[R]) leave(ctx context.Context, left func(running int)) (R, error) {
	n := o.abandoned.Add(1)
	if !o.end.CompareAndSwap(running, leftBehind) {
		o.abandoned.Add(-1)
		res := <-o.done
		return res.r, res.err
	}
	if left != nil {
		left(int(n))
	}
	return *new(R), ctx.Err()
}
