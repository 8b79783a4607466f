package hotswap

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"
)

// Bounds of an observer's queue. Answers, of which there may be many, leave room
// for the rest.
const maxQueued, maxQueuedAnswers = 8192, 4096

// observers hands observations on without ever waiting for an observer.
type observers []*observerQueue

type observerQueue struct {
	observer Observer

	mu      sync.Mutex
	queued  []Observation
	dropped uint64
	wake    chan struct{}
}

func newObservers(list []Observer) observers {
	queues := make(observers, len(list))
	for i, o := range list {
		queues[i] = &observerQueue{observer: o, wake: make(chan struct{}, 1)}
	}
	return queues
}

func (os observers) emit(o Observation) {
	for _, q := range os {
		q.put(o)
	}
}

// started notes the time of a call, if there is somebody to tell how long it
// took.
func (os observers) started() (at time.Time) {
	if len(os) > 0 {
		at = time.Now()
	}
	return at
}

func (os observers) dropped() uint64 {
	var n uint64
	for _, q := range os {
		q.mu.Lock()
		n += q.dropped
		q.mu.Unlock()
	}
	return n
}

func (q *observerQueue) put(o Observation) {
	limit := maxQueued
	if _, ok := o.(Answered); ok {
		limit = maxQueuedAnswers
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.queued) >= limit {
		q.dropped++
		return
	}
	q.queued = append(q.queued, o)
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// run delivers until ctx ends, then what is still queued.
func (q *observerQueue) run(ctx context.Context) {
	for {
		select {
		case <-q.wake:
			q.deliver()
		case <-ctx.Done():
			q.deliver()
			return
		}
	}
}

func (q *observerQueue) deliver() {
	q.mu.Lock()
	batch := q.queued
	q.queued = nil
	q.mu.Unlock()
	for _, o := range batch {
		q.tell(o)
	}
}

// tell shields the queue from a panic of its observer, which is logged.
func (q *observerQueue) tell(o Observation) {
	defer func() {
		if v := recover(); v != nil {
			slog.Error("observer panicked", "panic", v, "observation", fmt.Sprintf("%T", o), "stack", string(debug.Stack()))
		}
	}()
	q.observer.Observe(o)
}
