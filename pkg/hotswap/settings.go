package hotswap

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// ErrSettings is matched when settings cannot work.
var ErrSettings = errors.New("invalid settings")

// Settings tune an instance. The zero value is the article's behaviour: a
// timeout of 3 s, a switch at the first failure, a probe every 5 s, everybody
// back at once.
type Settings struct {
	// ID is the bus id: unique to this run of this instance. "" makes one up.
	ID string

	// Timeout bounds one attempt on one adapter. 0 means 3 s. A caller whose own
	// deadline is shorter says nothing about the adapter, so that one that hangs
	// is only noticed by callers that wait longer than this.
	Timeout time.Duration
	// TimeoutJitter lengthens each attempt's timeout by a random part of itself,
	// so that of many calls that hang together a few detect and the rest are
	// rescued. 0 is none.
	TimeoutJitter time.Duration
	// MaxAbandoned, when above 0, makes the timeout a hard deadline: a call
	// returns at the timeout even if the adapter ignores its context. The price
	// is a goroutine per attempt, one left behind per ignored context, and that
	// the operation may still be at work when the caller has its answer from
	// elsewhere. While an adapter has MaxAbandoned left behind, further attempts
	// on it fail at once and match ErrAbandoned; those that were under way when
	// the bound was reached may still add themselves. Status.AbandonedCalls
	// counts them all. 0 trusts the adapters to return.
	MaxAbandoned int
	// Classify tells failures of the adapter (true) from answers. It is asked
	// about errors of attempts that the timeout did not end; what comes after
	// the timeout is a failure unless the adapter marked it with Answer. nil
	// means IsFailure, which a replacement may call for the rest. It is called
	// by many goroutines at a time.
	Classify func(error) bool
	// Trip says how many failures decide.
	Trip Trip

	// Quorum is how many instances must vote before the cluster leaves an
	// adapter. 0 and 1 let the first one decide. Until the quorum is reached, an
	// instance that voted uses the next adapter for itself alone.
	Quorum int
	// QuorumWindow is how long a vote counts. 0 means 10 s. Votes are compared by
	// their authors' clocks, which are expected to differ by much less.
	QuorumWindow time.Duration

	// ProbeInterval is the time between two probes. 0 means 5 s.
	ProbeInterval time.Duration
	// ProbeJitter spreads the interval by up to this share of it, either way.
	// 0 means 0.1.
	ProbeJitter float64
	// ProbeTimeout bounds one probe. 0 means Timeout.
	ProbeTimeout time.Duration
	// OneProber lets one instance at a time probe for the cluster. An instance
	// that is cut off probes for itself.
	OneProber bool
	// Canary is how many real requests an adapter must answer after its probe,
	// before the cluster goes back to it. They are made with CanaryCall, whose
	// argument is the adapter's port as an any. 0 is none.
	Canary     int
	CanaryCall func(ctx context.Context, port any) error
	// Ramp spreads the instances' way back over this time. 0 is at once.
	Ramp time.Duration
	// HoldDown is how long the cluster stays away, counted from the switch, when
	// the adapter fails again within QuietPeriod of its return; it doubles each
	// time, up to HoldDownMax. 0 is no hold-down.
	HoldDown time.Duration
	// HoldDownMax caps the hold-down. 0 means 10 min.
	HoldDownMax time.Duration
	// QuietPeriod without a failure after a return forgets the hold-down. 0 means
	// 5 min.
	QuietPeriod time.Duration

	// ReplayWait bounds how long Ready waits for the retained log. 0 means 5 s.
	ReplayWait time.Duration
	// CloseWait bounds Close. 0 means 3 s.
	CloseWait time.Duration
	// Observers are told what happens.
	Observers []Observer
}

func orDefault[T int | float64 | time.Duration](v *T, otherwise T) {
	if *v == 0 {
		*v = otherwise
	}
}

// complete fills in the zero values and checks what belongs together.
func (s *Settings) complete() error {
	if s.ID == "" {
		s.ID = newID()
	}
	if s.Classify == nil {
		s.Classify = IsFailure
	}
	orDefault(&s.Timeout, 3*time.Second)
	orDefault(&s.Trip.Failures, 1)
	orDefault(&s.Trip.Window, 10*time.Second)
	orDefault(&s.Trip.MinCalls, 10)
	orDefault(&s.Quorum, 1)
	orDefault(&s.QuorumWindow, 10*time.Second)
	orDefault(&s.ProbeInterval, 5*time.Second)
	orDefault(&s.ProbeJitter, 0.1)
	orDefault(&s.ProbeTimeout, s.Timeout)
	orDefault(&s.HoldDownMax, 10*time.Minute)
	orDefault(&s.QuietPeriod, 5*time.Minute)
	orDefault(&s.ReplayWait, 5*time.Second)
	orDefault(&s.CloseWait, 3*time.Second)
	return s.check()
}

func (s *Settings) check() error {
	for _, rule := range []struct {
		broken bool
		text   string
	}{
		{s.Timeout < 0, "Timeout must not be negative"},
		{s.TimeoutJitter < 0, "TimeoutJitter must not be negative"},
		{s.MaxAbandoned < 0, "MaxAbandoned must not be negative"},
		{s.Trip.Failures < 0, "Trip.Failures must not be negative"},
		{!(s.Trip.Rate >= 0 && s.Trip.Rate <= 1), "Trip.Rate must be between 0 and 1"},
		{s.Trip.Window < time.Millisecond, "Trip.Window must be 1ms or more"},
		{s.Trip.MinCalls < 0, "Trip.MinCalls must not be negative"},
		{s.Quorum < 0, "Quorum must not be negative"},
		{s.QuorumWindow < 0, "QuorumWindow must not be negative"},
		{s.ProbeInterval < 0, "ProbeInterval must not be negative"},
		{!(s.ProbeJitter >= 0 && s.ProbeJitter <= 1), "ProbeJitter must be between 0 and 1"},
		{s.ProbeTimeout < 0, "ProbeTimeout must not be negative"},
		{s.Canary < 0, "Canary must not be negative"},
		{s.Canary > 0 && s.CanaryCall == nil, "Canary needs a CanaryCall"},
		{s.Ramp < 0, "Ramp must not be negative"},
		{s.HoldDown < 0, "HoldDown must not be negative"},
		{s.HoldDownMax < s.HoldDown, "HoldDownMax must not be below HoldDown"},
		{s.QuietPeriod < 0, "QuietPeriod must not be negative"},
		{s.ReplayWait < 0, "ReplayWait must not be negative"},
		{s.CloseWait < 0, "CloseWait must not be negative"},
		{s.Quorum > 1 && s.QuorumWindow < s.ProbeInterval,
			"QuorumWindow must not be below ProbeInterval, or a vote expires before it is renewed"},
	} {
		if rule.broken {
			return fmt.Errorf("%w: %s", ErrSettings, rule.text)
		}
	}
	return nil
}
