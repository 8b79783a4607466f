package hotswap

import (
	"time"
)

// Observer is told what happens to an instance, in the order in which it
// happened. Each observer has a queue and a goroutine of its own, so that one
// that is slow, calls back into the instance or panics harms nobody. When it
// falls far behind, observations are dropped, Answered ones first; Status counts
// them.
type Observer interface {
	Observe(Observation)
}

// ObserverFunc is an Observer made of a function.
type ObserverFunc func(Observation)

// Observe calls f.
func (f ObserverFunc) Observe(o Observation) { f(o) }

// Observation is one of the types of this file.
type Observation interface{ observation() }

// Cause says what made an instance decide or move.
type Cause uint8

const (
	// CauseFailure is a failure that this instance met itself.
	CauseFailure Cause = iota
	// CauseRecovery is a preferred adapter that responds again.
	CauseRecovery
	// CauseManual is an operator at this instance.
	CauseManual
	// CauseReceived is an entry of the log, written by another instance.
	CauseReceived
	// CauseReplayed is the past of the log, read at the start.
	CauseReplayed
	// CauseContributed is a blank log that is told what is in force.
	CauseContributed
	// CauseVoided is an own decision that the log did not take.
	CauseVoided
	// CauseAlone is a failure that this instance met, while a quorum is missing:
	// it moves for itself alone.
	CauseAlone
)

func (c Cause) String() string {
	return [...]string{"failure", "recovery", "manual", "received", "replayed", "contributed", "voided", "alone"}[c]
}

type (
	// Decided says that this instance decided for the cluster. Its own Switched
	// follows.
	Decided struct {
		From, Target string
		Cause        Cause
		Reason       string
		Event        AdapterSwitchEvent
	}
	// Received says that an entry of another instance was accepted and moves this
	// one. Its Switched follows, after the ramp if there is one.
	Received struct {
		Event    AdapterSwitchEvent
		Position Position
		// Latency is from the author's clock to this one's.
		Latency time.Duration
	}
	// Switched says that another adapter is active.
	Switched struct {
		From, To string
		Epoch    uint64
		Cause    Cause
		Reason   string
		// Position is the entry's; 0 for a decision that the log does not hold yet.
		Position Position
		// Latency is from the decision to now, by the author's clock and ours.
		Latency time.Duration
	}
	// Confirmed says that an own decision came back from the log, accepted.
	Confirmed struct {
		Event    AdapterSwitchEvent
		Position Position
		Latency  time.Duration
	}
	// Voided says that an own decision was not accepted.
	Voided struct {
		Event   AdapterSwitchEvent
		Verdict Verdict
	}
	// Ignored says that an entry of another instance was not accepted, or names
	// an adapter that this registry does not have.
	Ignored struct {
		Event    AdapterSwitchEvent
		Position Position
		Verdict  Verdict
		Unknown  bool
	}
	// Voted says that a vote was counted; Votes of Quorum are in.
	Voted struct {
		Event  AdapterSwitchEvent
		Votes  int
		Quorum int
		// Own says that this instance cast it.
		Own bool
	}
	// QuorumMismatch says that another instance decides by another quorum. It is
	// told once for each Origin.
	QuorumMismatch struct {
		Origin       string
		Theirs, Ours int
	}
	// Answered says that an adapter answered a call, with Result or with an error
	// that is an answer.
	Answered struct {
		Adapter string
		Epoch   uint64
		Result  any
		Err     error
		Took    time.Duration
		// Late says that the activation had ended.
		Late bool
		// Rescued says that the call began on another adapter.
		Rescued bool
		// Aside says that the adapter was not active: it stood in for this call
		// alone.
		Aside bool
	}
	// Failed says that an adapter failed a call.
	Failed struct {
		Adapter string
		Err     error
		Took    time.Duration
		// InRow counts the failures in a row, this one included.
		InRow int
		// Stale says that the activation had ended: the failure changes nothing.
		Stale bool
		// Aside is as in Answered.
		Aside bool
	}
	// Rescued says that a call in flight was cancelled by a switch and runs again.
	Rescued struct {
		From, To string
		// Waited is how long it had waited for From.
		Waited time.Duration
	}
	// Abandoned says that a call was left behind, because it ignores its context.
	// Running counts those that still run.
	Abandoned struct {
		Adapter string
		Running int
	}
	// ProbeFailed says that an adapter does not respond again.
	ProbeFailed struct {
		Adapter string
		Err     error
		Canary  bool
	}
	// Replayed says that the past of the log was read at the start.
	Replayed struct {
		State State
	}
	// BusLost says that this instance is cut off and decides alone.
	BusLost struct{ Err error }
	// BusRegained says that the log was read anew after a loss.
	BusRegained struct{ State State }
	// BusAway says that the log could not be read at the start within the bound.
	BusAway struct{ Waited time.Duration }
	// PublishFailed says that a decision could not be handed to the log. It is
	// tried again.
	PublishFailed struct{ Err error }
)

func (Decided) observation()        {}
func (Received) observation()       {}
func (Switched) observation()       {}
func (Confirmed) observation()      {}
func (Voided) observation()         {}
func (Ignored) observation()        {}
func (Voted) observation()          {}
func (QuorumMismatch) observation() {}
func (Answered) observation()       {}
func (Failed) observation()         {}
func (Rescued) observation()        {}
func (Abandoned) observation()      {}
func (ProbeFailed) observation()    {}
func (Replayed) observation()       {}
func (BusLost) observation()        {}
func (BusRegained) observation()    {}
func (BusAway) observation()        {}
func (PublishFailed) observation()  {}
