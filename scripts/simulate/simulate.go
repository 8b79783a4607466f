package main

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/membus"
)

// The course of a simulation: all is well, then the primary hangs, then all is
// well again. Every caller calls once a second, all within a few milliseconds, and
// the primary hangs while it has all of these calls: the worst case.
const (
	callers   = 10
	period    = time.Second
	spread    = 20 * time.Millisecond
	service   = 100 * time.Millisecond // how long an answer takes
	hangsFrom = 2*time.Second + service/2
	hangsFor  = 6 * time.Second
	ends      = 11 * time.Second
)

// result is what an outage cost the cluster.
type result struct {
	broadcasts, deliveries int64
	detectors, timeouts    int
	waited, fallback       time.Duration
}

// simulate runs one outage and returns what it cost. It is called in a bubble of
// testing/synctest, where it takes no longer than its computing.
func simulate(t *testing.T, s strategy, instances int) result {
	log, counted, primary := membus.New(), new(traffic), new(upstream)
	began := time.Now()
	started := make([]*instance, instances)
	for i := range started {
		started[i] = start(t, &slowBus{log.Connect(), counted}, s, primary)
	}
	time.Sleep(hangsFrom - time.Since(began))
	counted.broadcasts.Store(0)
	counted.deliveries.Store(0)
	primary.hangs.Store(true)
	time.Sleep(hangsFor)
	primary.hangs.Store(false)
	time.Sleep(ends - hangsFrom - hangsFor)
	return stopAll(started, counted)
}

func stopAll(started []*instance, counted *traffic) (r result) {
	for _, in := range started {
		in.stop()
		r.timeouts += in.timeouts
		r.detectors += min(1, in.timeouts)
		r.waited += time.Duration(in.waited.Load())
		r.fallback += in.fallback
	}
	r.broadcasts, r.deliveries = counted.broadcasts.Load(), counted.deliveries.Load()
	return r
}

// upstream is an adapter: it answers after a while, or hangs until its caller
// gives up.
type upstream struct{ hangs atomic.Bool }

func (u *upstream) ask(ctx context.Context) error {
	sleep(ctx, service)
	if u.hangs.Load() {
		<-ctx.Done()
	}
	return ctx.Err()
}

func sleep(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
