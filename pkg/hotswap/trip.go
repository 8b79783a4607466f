package hotswap

import "time"

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

// tripState counts the results of one activation.
type tripState struct {
	inRow   int
	buckets [tripBuckets]tripBucket
}

type tripBucket struct {
	slice           int64
	calls, failures int
}

// success notes a call that the adapter answered.
func (s *tripState) success(t *Trip) {
	s.inRow = 0
	if t.Rate > 0 {
		s.bucket(t, time.Now()).calls++
	}
}

// failure notes a failed call, returns how many there were in a row and whether
// they decide.
func (s *tripState) failure(t *Trip) (inRow int, decides bool) {
	s.inRow++
	if t.Rate <= 0 {
		return s.inRow, s.inRow >= t.Failures
	}
	now := time.Now()
	b := s.bucket(t, now)
	b.calls++
	b.failures++
	return s.inRow, s.rateReached(t, now)
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
