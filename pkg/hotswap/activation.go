package hotswap

import (
	"context"
	"sync"
)

// maxAdapters bounds a registry, so that a set of adapters fits a word.
const maxAdapters = 64

// activation is one stay of one adapter at the active place. Going back to an
// adapter makes a new activation, so that a result that comes in from an earlier
// one is recognised and changes nothing.
type activation[P any] struct {
	adapter *Adapter[P]
	index   int
	epoch   uint64

	mu    sync.Mutex
	ended bool
	trip  tripState
	calls inflight
}

// inflight is a call that ends with its activation: a node of a ring whose head
// is the activation's own.
type inflight struct {
	prev, next *inflight
	cancel     context.CancelFunc
}

// enter registers a call. It reports false, and registers nothing, when the
// activation has ended.
func (a *activation[P]) enter(c *inflight) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.ended {
		return false
	}
	if a.calls.next == nil {
		a.calls.prev, a.calls.next = &a.calls, &a.calls
	}
	c.prev, c.next = a.calls.prev, &a.calls
	c.prev.next, c.next.prev = c, c
	return true
}

// leave takes a call out again; for one that was never registered it does
// nothing.
func (a *activation[P]) leave(c *inflight) {
	a.mu.Lock()
	defer a.mu.Unlock()
	c.unlink()
}

func (c *inflight) unlink() {
	if c.next == nil {
		return
	}
	c.prev.next, c.next.prev = c.next, c.prev
	c.prev, c.next = nil, nil
}

// end marks the activation as over, runs swap under its lock and returns what
// cancels the calls that are to be rescued.
func (a *activation[P]) end(swap func()) []context.CancelFunc {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.ended = true
	swap()
	var cancels []context.CancelFunc
	for c := a.calls.next; c != nil && c != &a.calls; c = a.calls.next {
		cancels = append(cancels, c.cancel)
		c.unlink()
	}
	return cancels
}

// over reports whether the activation has ended.
func (a *activation[P]) over() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.ended
}

// failed counts a failure. Stale says that the activation had ended, so that it
// was not counted.
func (a *activation[P]) failed(t *Trip) (inRow int, decides, stale bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.ended {
		return 0, false, true
	}
	inRow, decides = a.trip.failure(t)
	return inRow, decides, false
}
