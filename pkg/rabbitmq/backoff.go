package rabbitmq

import (
	"context"
	"math/rand/v2"
	"time"
)

// backoff makes the pauses between attempts: exponential from min to max, each
// drawn from its upper half so that instances that lost a broker together do not
// come back together.
type backoff struct {
	min, max time.Duration
	next     time.Duration
}

func (b *backoff) reset() { b.next = 0 }

// pause returns how long to wait after one more failure.
func (b *backoff) pause() time.Duration {
	b.next = min(max(2*b.next, b.min), b.max)
	return jitter(b.next)
}

// longest is pause where haste is no use.
func (b *backoff) longest() time.Duration {
	b.next = b.max
	return jitter(b.max)
}

func jitter(d time.Duration) time.Duration {
	return d - rand.N(d/2+1)
}

// sleep waits for d or until ctx ends.
func sleep(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
