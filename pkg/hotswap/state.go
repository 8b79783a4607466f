package hotswap

import "time"

// State is what the log says so far. The zero value is a blank log, which says
// nothing: no adapter is in force. Every instance that has read the same entries
// holds the same State, whatever its settings.
type State struct {
	// Adapter is in force; "" while the log is blank.
	Adapter string
	// Position, ID, Origin, Time and Reason are those of the entry that put it in
	// force.
	Position Position
	ID       string
	Origin   string
	Time     time.Time
	Reason   string
	// Ramp spreads the instances' moves to Adapter.
	Ramp time.Duration
	// Pinned keeps automatic decisions out.
	Pinned bool
	// Claim is the right to probe for the cluster; the zero Claim is nobody's.
	Claim Claim

	votes []vote
	// seen are the last switches without After. Nothing else makes a redelivery
	// of them harmless.
	seen []string
	// said is the target of the last switch, accepted or not, and saidBy its
	// author. It is where a peer is that keeps no log and follows every switch.
	said, saidBy string
}

// Claim is an accepted KindClaim.
type Claim struct {
	Position Position
	Origin   string
}

type vote struct {
	origin, target string
	time           time.Time
}

const maxSeen, maxVotes = 128, 4096

// Verdict is what the fold made of an entry.
type Verdict uint8

const (
	// Accepted entries put their target in force.
	Accepted Verdict = iota
	// Noted entries are valid but put nothing in force: a vote short of its
	// quorum, a vote taken back, a claim granted.
	Noted
	// Stale entries were decided before the switch in force, or lost the race
	// for it.
	Stale
	// Redundant entries ask for what is in force.
	Redundant
	// Repeated entries were read before.
	Repeated
	// Held entries are automatic decisions against a pin.
	Held
	// Restated entries say again what is in force, so that it outlives the older
	// entries of a log that does not keep all.
	Restated
	// UnknownKind entries ask for something that this version does not know.
	UnknownKind
)

func (v Verdict) String() string {
	return [...]string{"accepted", "noted", "stale", "redundant", "repeated", "held by the pin", "restated", "of an unknown kind"}[v]
}
