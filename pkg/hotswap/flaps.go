package hotswap

import "time"

// flaps remembers how the preferred adapter came and went, for the hold-down:
// the way routers damp a route that flaps (RFC 2439).
type flaps struct {
	level      int
	away       bool
	left, back time.Time
}

// note is told of every move to or from the preferred adapter.
func (f *flaps) note(preferred bool, at time.Time, s *Settings) {
	switch {
	case preferred:
		f.away, f.back = false, at
	case f.away:
	case !f.back.IsZero() && at.Sub(f.back) < s.QuietPeriod:
		f.away, f.left = true, at
		f.level++
	default:
		f.away, f.left, f.level = true, at, 0
	}
}

// holdDown returns how long the cluster stays away at least, counted from the
// time it left.
func (f *flaps) holdDown(s *Settings) time.Duration {
	if s.HoldDown == 0 || f.level == 0 {
		return 0
	}
	wait := s.HoldDown
	for range f.level - 1 {
		if wait >= s.HoldDownMax/2 {
			return s.HoldDownMax
		}
		wait *= 2
	}
	return wait
}
