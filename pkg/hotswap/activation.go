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
	calls   inflight

	// mu orders what is counted and told of this stay: before its end, or marked
	// as too late.
	mu    sync.Mutex
	ended bool
	trip  tripState
}

// end makes the activation over and runs handOver, both before anything of next
// is counted or told, and returns what cancels the calls that are to be rescued.
func (a *activation[P]) end(next *activation[P], handOver func()) []context.CancelFunc {
	a.mu.Lock()
	defer a.mu.Unlock()
	next.mu.Lock()
	defer next.mu.Unlock()
	a.ended = true
	handOver()
	return a.calls.end()
}

// over reports whether the activation has ended.
func (a *activation[P]) over() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.ended
}

// answered counts an answer and tells of it; late says that the activation had
// ended, so that it was not counted. It is on the path of every call, and does
// nothing while there is nothing to count and nobody to tell.
func (a *activation[P]) answered(t *Trip, tell func(late bool)) {
	if tell == nil && !a.trip.listens(t) {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.ended {
		a.trip.success(t)
	}
	if tell != nil {
		tell(a.ended)
	}
}

// failed counts a failure and tells of it; stale says that the activation had
// ended, so that it was not counted. decides says that the adapter has failed
// often enough.
func (a *activation[P]) failed(t *Trip, tell func(inRow int, stale bool)) (decides, stale bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	inRow := 0
	if !a.ended {
		inRow, decides = a.trip.failure(t)
	}
	tell(inRow, a.ended)
	return decides, a.ended
}
