package hotswap

import (
	"slices"
	"time"
)

// CaughtUp brings this instance and a log that was read anew together.
func (c follower[P]) CaughtUp() {
	c.mu.Lock()
	defer c.mu.Unlock()
	before := c.log
	c.log, c.live = c.past, true
	c.claims.read(c.settings)
	if c.log.ID != "" {
		c.flaps = c.pastFlaps
	}
	if c.lost {
		c.lost = false
		c.observers.emit(BusRegained{State: c.log})
	}
	c.reconcile(before)
	c.announceAfterReading(c.pastEnd)
	if c.beReady() {
		c.observers.emit(Replayed{State: c.log})
	}
	wake(c.outbox)
	wake(c.health)
}

// Lost leaves this instance to decide alone.
func (c follower[P]) Lost(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.live, c.lost = false, true
	c.observers.emit(BusLost{Err: err})
	wake(c.health)
}

// reconcile settles a decision made while the log was away: it stands if nobody
// moved on meanwhile, and gives way otherwise. A blank log is told what was in
// force.
func (c *coordinator[P]) reconcile(before State) {
	if c.pending != nil && c.pending.event.ID != c.log.ID && c.returnFailed() {
		c.pending = nil
	}
	d := c.pending
	switch {
	case d != nil && d.event.ID == c.log.ID:
		c.confirmed()
	case d != nil && (c.log.ID == "" || slices.Contains(d.bases, c.log.ID)):
		c.rebase()
	case d == nil && c.log.ID == "" && before.ID != "":
		c.contribute(before)
	case d == nil && c.log.ID == before.ID && (c.alone || c.ramp != nil):
		// On its own way still.
	default:
		if d != nil {
			c.void(Stale)
		}
		c.adopt(c.causeOfReading(), time.Since(c.log.Time))
	}
	c.stayAlone(stillFailing)
}

// causeOfReading tells the start, before which nothing was served, from a return.
func (c *coordinator[P]) causeOfReading() Cause {
	select {
	case <-c.ready:
		return CauseReceived
	default:
		return CauseReplayed
	}
}

// contribute writes what was in force into a blank log, under the id that it had:
// whoever remembers the same says the same, and decisions that followed it still
// do. The caller holds mu.
func (c *coordinator[P]) contribute(before State) {
	e := c.event(KindSwitch, before.Adapter)
	e.ID, e.Reason, e.Manual, e.Pinned = before.ID, "in force before", before.Pinned, before.Pinned
	c.pending = &decision{event: e, cause: CauseContributed, made: time.Now(), bases: []string{""}}
	if !c.alone {
		c.stopRamp()
		c.move(Switched{To: e.Target, Cause: CauseContributed})
	}
}

// beReady reports whether the instance was not ready before.
func (c *coordinator[P]) beReady() bool {
	select {
	case <-c.ready:
		return false
	default:
		close(c.ready)
		return true
	}
}
