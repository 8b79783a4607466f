package hotswap

import (
	"context"
	"errors"
)

// ErrUnavailable is matched by the error of a Publish that could not hand the
// event to the log, because the bus is away, blocked or closing.
var ErrUnavailable = errors.New("bus unavailable")

// Bus is the port to the ordered log that the instances of one service share.
// It is not a queue per instance: every subscriber reads every entry in the
// same order, starting with the retained past. Implementations are safe for
// concurrent use and pass the suite of package bustest.
type Bus interface {
	// Publish appends event to the log and returns once the log holds it. An
	// error means that the log may or may not hold it: publishing the same event
	// again is harmless. A Publish that finds the bus away fails at once and
	// matches ErrUnavailable; one that is under way ends with ctx.
	Publish(ctx context.Context, event AdapterSwitchEvent) error

	// Subscribe reads the log into s until ctx ends, and returns ctx's error. It
	// connects, and connects again after every loss, by itself. It calls s from
	// one goroutine at a time.
	Subscribe(ctx context.Context, s Subscriber) error
}

// Subscriber is told what a Bus reads. The calls of one read come in this order:
// Begin, Entry for each retained entry, CaughtUp, Entry for each new entry,
// Lost; then, after a reconnection, Begin again. Lost may also come first, or
// before CaughtUp, and is called once per loss: a bus that stays away does not
// repeat it.
type Subscriber interface {
	// Begin starts a read at the first entry that the log retains. What earlier
	// reads brought is superseded.
	Begin()
	// Entry brings one entry. Positions grow within a read.
	Entry(Position, AdapterSwitchEvent)
	// CaughtUp says that every entry that the log held when the read began has
	// been brought. What follows is live.
	CaughtUp()
	// Lost ends a read: until the next Begin this instance is cut off.
	Lost(error)
}
