package faults

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"
)

// requests has every member answer requests until stop, which fails the test if
// one failed: whatever happens to the bus, requests are unaffected.
func (c *cluster) requests() (stop func()) {
	members := c.members
	return c.background(func(ctx context.Context) {
		for tick(ctx, 5*time.Millisecond) {
			for _, m := range members {
				m.call(c.t)
			}
		}
	})
}

// decisions has members decide, at random, until stop.
func (c *cluster) decisions() (stop func()) {
	members := c.members
	adapters := []string{primary, fallback, spare}
	return c.background(func(ctx context.Context) {
		for tick(ctx, 10*time.Millisecond) {
			members[rand.N(len(members))].decide(c.t, adapters[rand.N(len(adapters))])
		}
	})
}

// load is requests and decisions.
func (c *cluster) load() (stop func()) {
	stopRequests, stopDecisions := c.requests(), c.decisions()
	return func() { stopDecisions(); stopRequests() }
}

// background runs f until stop, or the end of the test.
func (c *cluster) background(f func(context.Context)) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { f(ctx) })
	stop = func() { cancel(); running.Wait() }
	c.t.Cleanup(stop)
	return stop
}

// tick waits for d and reports whether ctx goes on.
func tick(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// last lets a fault last for d. The duration is part of the fault, not a wait
// for something to happen.
func last(d time.Duration) { time.Sleep(d) }
