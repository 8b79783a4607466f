package hotswap

import "time"

// Position is the place of an entry in the log, counted from 1 in the order
// that every instance reads. Positions grow but may have gaps. The zero value
// stands before the first entry.
type Position uint64

// Kind says what an entry of the log asks for.
type Kind uint8

const (
	// KindSwitch puts Target in force. It is the article's event, and the only
	// kind that a peer written in Java understands.
	KindSwitch Kind = iota
	// KindVote asks for Target without putting it in force: the switch happens
	// at the vote that completes a quorum.
	KindVote
	// KindWithdraw takes the author's vote back.
	KindWithdraw
	// KindClaim asks for the right to probe for the whole cluster.
	KindClaim
)

// AdapterSwitchEvent is one entry of the log: the decision of one instance,
// addressed to all of them (article, "The Bus Event"). The zero value is not a
// valid event: ID, Origin and, for switches and votes, Target are required.
//
// A Bus carries every field unchanged. The fields from After on are unknown to
// peers written in Java, which ignore them and never send them.
type AdapterSwitchEvent struct {
	// ID is unique, and the same across redeliveries.
	ID string
	// Origin is the bus id of the author. A value that is unique to one run of
	// one instance.
	Origin string
	// Kind is what the entry asks for.
	Kind Kind
	// Target names an adapter.
	Target string
	// Time is the author's clock. It orders nothing: positions do.
	Time time.Time
	// After is the position of the switch that was in force when the author
	// decided; nil in events of peers that keep no log.
	After *Position
	// Reason is why, for people: "timeout", "connection refused", "manual".
	Reason string
	// Manual tells an operator's decision from an automatic one.
	Manual bool
	// Pinned keeps automatic decisions from moving the cluster off Target, until
	// a manual switch that is not pinned. It means nothing unless Manual is set.
	Pinned bool
	// Quorum is how many distinct authors must vote for Target before a vote
	// puts it in force. Carried by every vote, so that each instance counts
	// alike, whatever its own setting.
	Quorum int
	// Window is how long a vote counts.
	Window time.Duration
	// Ramp spreads the instances' moves to Target over this time.
	Ramp time.Duration
}
