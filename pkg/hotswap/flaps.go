package hotswap

import "time"

// flaps remembers how the preferred adapter came and went for the whole cluster,
// for the hold-down: the way routers damp a route that flaps (RFC 2439). It is
// told of accepted switches, so that all instances remember alike, and of own
// decisions, which count while the log is away.
type flaps struct {
	level      int
	away       bool
	left, back time.Time
}

// note is told of a switch to the preferred adapter or to another. Being told
// twice changes nothing. An operator who leaves the preferred adapter says
// nothing about it.
func (f *flaps) note(preferred, manual bool, at time.Time, s *Settings) {
	switch {
	case preferred == !f.away:
	case preferred:
		f.away, f.back = false, at
	default:
		f.away, f.left = true, at
		if !manual {
			f.failedAgain(s.QuietPeriod)
		}
	}
}

func (f *flaps) failedAgain(quiet time.Duration) {
	if f.back.IsZero() || f.left.Sub(f.back) >= quiet {
		f.level = 0
		return
	}
	f.level++
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
