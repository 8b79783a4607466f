package scenario

import (
	"sync"
	"time"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/hotswap"
)

// recorder counts what happens on a stage. It is safe for concurrent use.
type recorder struct {
	mu sync.Mutex
	// active and connected are by instance.
	active    []string
	connected []bool
	regained  time.Time // when an instance came back to the bus last
	moves     []move
	decisions []decided
	timeouts  int
	rescues   int
	answers   map[string]int // of callers, by animal; "" is none
	longest   time.Duration  // a caller waited
	hits      []time.Time    // of the primary's animals
	probes    []time.Time    // of the primary's health
}

// move is an instance that went to another adapter while it served.
type move struct {
	at       time.Time
	instance int
	to       string
	cause    hotswap.Cause
	latency  time.Duration
}

// decided is an instance that decided.
type decided struct {
	at       time.Time
	instance int
	cause    hotswap.Cause
}

func newRecorder(instances int) *recorder {
	return &recorder{active: make([]string, instances), connected: make([]bool, instances), answers: make(map[string]int)}
}

// observe makes the observer of an instance, which starts on adapter.
func (r *recorder) observe(instance int, adapter string) hotswap.Observer {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.active[instance], r.connected[instance] = adapter, false
	return hotswap.ObserverFunc(func(o hotswap.Observation) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.note(instance, o)
	})
}

func (r *recorder) note(instance int, o hotswap.Observation) {
	switch o := o.(type) {
	case hotswap.Switched:
		r.active[instance] = o.To
		if o.Cause != hotswap.CauseReplayed {
			r.moves = append(r.moves, move{time.Now(), instance, o.To, o.Cause, o.Latency})
		}
	case hotswap.Decided:
		r.decisions = append(r.decisions, decided{time.Now(), instance, o.Cause})
	case hotswap.Failed:
		if hotswap.Reason(o.Err) == "timeout" {
			r.timeouts++
		}
	case hotswap.Rescued:
		r.rescues++
	case hotswap.Replayed:
		r.connected[instance] = true
	case hotswap.BusRegained:
		r.connected[instance], r.regained = true, time.Now()
	case hotswap.BusLost:
		r.connected[instance] = false
	}
}

func (r *recorder) answered(animal string, waited time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answers[animal]++
	r.longest = max(r.longest, waited)
}

func (r *recorder) hit(at *[]time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	*at = append(*at, time.Now())
}

// all reports whether every one of the instances is on adapter; no instances
// means all of them.
func (r *recorder) all(adapter string, instances ...int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(instances) == 0 {
		for _, a := range r.active {
			if a != adapter {
				return false
			}
		}
		return true
	}
	for _, i := range instances {
		if r.active[i] != adapter {
			return false
		}
	}
	return true
}

// read runs f while nothing changes.
func read[T any](r *recorder, f func() T) T {
	r.mu.Lock()
	defer r.mu.Unlock()
	return f()
}

// lastMove is when an instance moved last, or from if none has since.
func (r *recorder) lastMove(from time.Time) time.Time {
	return read(r, func() time.Time {
		for _, m := range r.moves {
			if m.at.After(from) {
				from = m.at
			}
		}
		return from
	})
}

// countMoves counts the moves since from that match.
func (r *recorder) countMoves(from time.Time, matches func(move) bool) int {
	return read(r, func() int {
		n := 0
		for _, m := range r.moves {
			if !m.at.Before(from) && matches(m) {
				n++
			}
		}
		return n
	})
}

// countDecisions counts the decisions since from for that cause.
func (r *recorder) countDecisions(from time.Time, cause hotswap.Cause) int {
	return read(r, func() int {
		n := 0
		for _, d := range r.decisions {
			if !d.at.Before(from) && d.cause == cause {
				n++
			}
		}
		return n
	})
}

// between counts the times from from on and before to.
func between(times []time.Time, from, to time.Time) int {
	n := 0
	for _, at := range times {
		if !at.Before(from) && at.Before(to) {
			n++
		}
	}
	return n
}

// firstSecond counts the hits in the second that began with the first hit since
// from.
func (r *recorder) firstSecond(from time.Time) int {
	return read(r, func() int {
		for _, at := range r.hits {
			if !at.Before(from) {
				return between(r.hits, at, at.Add(time.Second))
			}
		}
		return 0
	})
}
