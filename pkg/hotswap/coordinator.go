package hotswap

import (
	"slices"
	"sync"
	"time"
)

// coordinator keeps one instance and the log together: it makes the decisions of
// this instance, follows those of the others, and knows which of the two counts.
// Decisions are local first: they move this instance at once and travel to the
// log behind it.
type coordinator[P any] struct {
	registry  *Registry[P]
	settings  *Settings
	observers observers
	outbox    chan struct{} // wakes the outbox
	health    chan struct{} // wakes the health checker
	ready     chan struct{} // closed once the past was read or waited for

	mu sync.Mutex
	// log is the fold of what was read; past is the fold under way of a read
	// that has not caught up.
	log, past        State
	flaps, pastFlaps flaps
	pastEnd          Position
	live             bool
	lost             bool
	pending          *decision
	notes            []AdapterSwitchEvent
	alone            bool // on another adapter than the cluster's until a quorum is reached
	ramp             *ramp
	claims           claims
	otherQuorums     map[string]bool // origins whose quorum was found to differ
}

// decision is an own switch that is not yet back from the log.
type decision struct {
	event AdapterSwitchEvent
	cause Cause
	made  time.Time
	// bases are the ids of the entries it may follow: the one in force when it
	// was made, and own decisions that it replaced on their way to the log.
	bases []string
	// sent says that the bus was given the event, so that the log may hold it;
	// resend that it is to be given again.
	sent, resend bool
}

// maxBases bounds the decisions that one may have replaced on their way.
const maxBases = 32

func newCoordinator[P any](r *Registry[P], s *Settings, o observers) *coordinator[P] {
	return &coordinator[P]{registry: r, settings: s, observers: o, outbox: make(chan struct{}, 1),
		health: make(chan struct{}, 1), ready: make(chan struct{}), otherQuorums: make(map[string]bool)}
}

func wake(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// event starts an entry that is decided on what this instance knows now.
func (c *coordinator[P]) event(kind Kind, target string) AdapterSwitchEvent {
	after := c.log.Position
	return AdapterSwitchEvent{ID: newID(), Origin: c.settings.ID, Kind: kind, Target: target,
		Time: time.Now(), After: &after}
}

// decide moves this instance and has the log told. A decision that takes the
// place of an operator's on its way carries that one's weight, or a pin that was
// released would stop it. The caller holds mu.
func (c *coordinator[P]) decide(e AdapterSwitchEvent, cause Cause) {
	e.Manual = e.Manual || c.pending != nil && c.pending.event.Manual
	c.pending = &decision{event: e, cause: cause, made: time.Now(), bases: c.bases()}
	c.observers.emit(Decided{From: c.registry.ActiveName(), Target: e.Target, Cause: cause, Reason: e.Reason, Event: e})
	c.noteFlap(&c.flaps, e, time.Now())
	c.stopRamp()
	c.alone = false
	c.move(Switched{To: e.Target, Cause: cause, Reason: e.Reason})
	wake(c.outbox)
}

func (c *coordinator[P]) noteFlap(f *flaps, e AdapterSwitchEvent, at time.Time) {
	f.note(c.registry.index(e.Target) == 0, e.Manual, at, c.settings)
}

func (c *coordinator[P]) bases() []string {
	if c.pending == nil {
		return []string{c.log.ID}
	}
	bases := slices.Clone(c.pending.bases)
	if c.pending.sent {
		bases = append(bases, c.pending.event.ID)
	}
	return bases[max(0, len(bases)-maxBases):]
}

// move makes another adapter active, unless it is. The caller holds mu.
func (c *coordinator[P]) move(s Switched) {
	s.From = c.registry.ActiveName()
	if s.From == s.To {
		wake(c.health)
		return
	}
	c.registry.swap(c.registry.index(s.To), func(epoch uint64) {
		s.Epoch = epoch
		c.observers.emit(s)
	})
	wake(c.health)
}

// cluster returns the adapter that the cluster is on as far as this instance
// knows, an own decision on its way included. This instance is on it too, unless
// it is alone or waits for its turn on a ramp.
func (c *coordinator[P]) cluster() string {
	switch {
	case c.pending != nil:
		return c.pending.event.Target
	case c.log.Adapter != "":
		return c.log.Adapter
	}
	return c.registry.adapters[0].Name
}

// pinned reports whether automatic decisions are kept out: by the log, or by an
// own decision on its way there.
func (c *coordinator[P]) pinned() bool {
	if c.pending != nil {
		return c.pending.event.Pinned
	}
	return c.log.Pinned
}
