package hotswap

import (
	"sync/atomic"
	"time"
)

// Trip says when an adapter has failed often enough for a decision. The zero
// value decides at the first failure, as the article does.
type Trip struct {
	// Failures is how many failures in a row decide. 0 means 1.
	Failures int
	// Rate, when above 0, decides instead on the share of failures among the
	// calls of the last Window: 0.5 is every second call.
	Rate float64
	// Window is how far back Rate looks. 0 means 10 s.
	Window time.Duration
	// MinCalls is how many calls the window must hold before Rate says anything.
	// 0 means 10.
	MinCalls int
}

const tripBuckets = 10

// tripState counts the results of one activation. Only listens may be called
// without the activation's lock.
type tripState struct {
	inRow   atomic.Int64
	buckets [tripBuckets]tripBucket
}

type tripBucket struct {
	slice           int64
	calls, failures int
}

// listens reports whether a success would change anything: there is a row of
// failures to end, or a rate to keep.
func (s *tripState) listens(t *Trip) bool { return t.Rate > 0 || s.inRow.Load() > 0 }

// success notes a call that the adapter answered.
func (s *tripState) success(t *Trip) {
	s.inRow.Store(0)
	if t.Rate > 0 {
		s.bucket(t, time.Now()).calls++
	}
}

// failure notes a failed call, returns how many there were in a row and whether
// they decide.
func (s *tripState) failure(t *Trip) (inRow int, decides bool) {
	inRow = int(s.inRow.Add(1))
	if t.Rate <= 0 {
		return inRow, inRow >= t.Failures
	}
	now := time.Now()
	b := s.bucket(t, now)
	b.calls++
	b.failures++
	return inRow, s.rateReached(t, now)
}

func (s *tripState) bucket(t *Trip, now time.Time) *tripBucket {
	slice := now.UnixNano() / int64(t.Window/tripBuckets)
	b := &s.buckets[slice%tripBuckets]
	if b.slice != slice {
		*b = tripBucket{slice: slice}
	}
	return b
}

func (s *tripState) rateReached(t *Trip, now time.Time) bool {
	oldest := now.UnixNano()/int64(t.Window/tripBuckets) - tripBuckets + 1
	calls, failures := 0, 0
	for _, b := range s.buckets {
		if b.slice >= oldest {
			calls += b.calls
			failures += b.failures
		}
	}
	return calls >= t.MinCalls && float64(failures) >= t.Rate*float64(calls)
}
