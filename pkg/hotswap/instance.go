package hotswap

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// ErrStillRunning is returned by Close when something did not end in time.
var ErrStillRunning = errors.New("still running after the bound")

// Instance is one instance of a service: its adapters, its place in the cluster
// and the goroutines that keep the two together. Make it with New and end it
// with Close. It is safe for concurrent use.
type Instance[P any] struct {
	registry    *Registry[P]
	settings    *Settings
	coordinator *coordinator[P]
	observers   observers
	inflight    inflightCalls
	abandoned   []*bounded // by adapter; nil: the timeout is no hard deadline

	closed      atomic.Bool
	stop        context.CancelFunc // the goroutines
	stopTelling context.CancelFunc // the observers, after them
	running     sync.WaitGroup
	telling     sync.WaitGroup
}

// New joins the cluster that shares bus, with two adapters or more, preferred
// first. It returns at once; Ready says when the instance knows the cluster's
// adapter. The error matches ErrSettings or ErrAdapters.
func New[P any](bus Bus, settings Settings, adapters ...Adapter[P]) (*Instance[P], error) {
	registry, err := NewRegistry(adapters...)
	if err != nil {
		return nil, err
	}
	if bus == nil {
		return nil, fmt.Errorf("%w: no bus", ErrSettings)
	}
	if err := settings.complete(); err != nil {
		return nil, err
	}
	in := &Instance[P]{registry: registry, settings: &settings, observers: newObservers(settings.Observers)}
	in.coordinator = newCoordinator(registry, in.settings, in.observers)
	if settings.MaxAbandoned > 0 {
		for range adapters {
			in.abandoned = append(in.abandoned, newBounded(settings.MaxAbandoned))
		}
	}
	in.start(bus)
	return in, nil
}

func (in *Instance[P]) start(bus Bus) {
	ctx, stop := context.WithCancel(context.Background())
	in.stop = stop
	c := in.coordinator
	in.running.Go(func() { c.follow(ctx, bus) })
	in.running.Go(func() { c.publish(ctx, bus) })
	in.running.Go(func() { newHealthChecker(c, bus).run(ctx) })
	in.running.Go(func() { c.waitForPast(ctx) })

	telling, stopTelling := context.WithCancel(context.Background())
	in.stopTelling = stopTelling
	for _, q := range in.observers {
		in.telling.Go(func() { q.run(telling) })
	}
}

// follow reads the log. A bus that gives up early leaves this instance to decide
// alone.
func (c *coordinator[P]) follow(ctx context.Context, bus Bus) {
	f := follower[P]{c}
	if err := bus.Subscribe(ctx, f); ctx.Err() == nil {
		f.Lost(errors.Join(ErrUnavailable, err))
	}
}

// waitForPast lets the instance be ready without the bus after a bounded wait.
func (c *coordinator[P]) waitForPast(ctx context.Context) {
	timer := time.NewTimer(c.settings.ReplayWait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-c.ready:
		return
	case <-ctx.Done():
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.beReady() {
		c.observers.emit(BusAway{Waited: c.settings.ReplayWait})
	}
}

// Registry returns the instance's adapters.
func (in *Instance[P]) Registry() *Registry[P] { return in.registry }

// ID returns the bus id.
func (in *Instance[P]) ID() string { return in.settings.ID }

// Ready is closed once the retained log was read, or Settings.ReplayWait has
// passed without it: the instance is then on the cluster's adapter, or decides
// alone.
func (in *Instance[P]) Ready() <-chan struct{} { return in.coordinator.ready }

// Switch is an operator's decision: it moves the cluster to target, which a pin
// does not stop. With pin set, automatic decisions are kept out until the next
// manual switch or Release. The error matches ErrUnknownAdapter or ErrClosed.
func (in *Instance[P]) Switch(target string, pin bool) error {
	if in.closed.Load() {
		return ErrClosed
	}
	return in.coordinator.manual(target, pin)
}

// Release ends a pin; without one it does nothing. The error matches ErrClosed.
func (in *Instance[P]) Release() error {
	if in.closed.Load() {
		return ErrClosed
	}
	in.coordinator.release()
	return nil
}

// Close ends everything that New started, within Settings.CloseWait; otherwise
// the error is ErrStillRunning: the bus, a probe or an observer does not return.
// Observers are told what happened before. Calls in flight go on to their own
// end, later ones match ErrClosed. Closing again does nothing. An observer that
// calls Close waits for itself, until the bound.
func (in *Instance[P]) Close() error {
	if in.closed.Swap(true) {
		return nil
	}
	in.stop()
	ended := make(chan struct{})
	go func() {
		in.running.Wait()
		in.stopRest()
		in.telling.Wait()
		close(ended)
	}()
	timer := time.NewTimer(in.settings.CloseWait)
	defer timer.Stop()
	select {
	case <-ended:
		return nil
	case <-timer.C:
		in.stopRest()
		return ErrStillRunning
	}
}

func (in *Instance[P]) stopRest() {
	in.coordinator.close()
	in.stopTelling()
}

func (c *coordinator[P]) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stopRamp()
}
