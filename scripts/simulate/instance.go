package main

import (
	"context"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/hotswap"
)

// instance is one instance with its callers, and what the outage cost them.
type instance struct {
	*hotswap.Instance[*upstream]
	mode    hotswap.Mode
	cancel  context.CancelFunc
	running sync.WaitGroup

	waited   atomic.Int64
	timeouts int
	left     time.Time     // when it left the primary
	fallback time.Duration // how long it was away
}

func start(t *testing.T, bus hotswap.Bus, s strategy, primary *upstream) *instance {
	in := &instance{mode: s.mode}
	settings := s.settings
	settings.Observers = []hotswap.Observer{hotswap.ObserverFunc(in.observe)}
	var err error
	in.Instance, err = hotswap.New(bus, settings,
		hotswap.Adapter[*upstream]{Name: "primary", Port: primary, Probe: primary.ask},
		hotswap.Adapter[*upstream]{Name: "fallback", Port: new(upstream)})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	in.cancel = cancel
	for range callers {
		in.running.Go(func() { in.calls(ctx) })
	}
	return in
}

func (in *instance) observe(o hotswap.Observation) {
	switch o := o.(type) {
	case hotswap.Failed:
		in.timeouts++
	case hotswap.Switched:
		if o.From == "primary" {
			in.left = time.Now()
		} else {
			in.fallback += time.Since(in.left)
		}
	}
}

func (in *instance) stop() {
	in.cancel()
	in.running.Wait()
	_ = in.Close()
}

// calls is one caller: it calls at each full period.
func (in *instance) calls(ctx context.Context) {
	for ctx.Err() == nil {
		sleep(ctx, time.Until(time.Now().Truncate(period).Add(period))+rand.N(spread))
		in.call(ctx)
	}
}

func (in *instance) call(ctx context.Context) {
	began := time.Now()
	_, _ = hotswap.Call(ctx, in.Instance, in.mode, func(ctx context.Context, u *upstream) (struct{}, error) {
		return struct{}{}, u.ask(ctx)
	})
	in.waited.Add(int64(time.Since(began) - service))
}
