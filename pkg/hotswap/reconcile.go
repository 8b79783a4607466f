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
	c.log, c.live, c.read, c.claimedAt = c.past, true, true, time.Now()
	if c.lost {
		c.lost = false
		c.observers.emit(BusRegained{State: c.log})
	}
	c.reconcile(before)
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
// moved on meanwhile, and gives way otherwise. A blank log is told what is in
// force.
func (c *coordinator[P]) reconcile(before State) {
	d := c.pending
	switch {
	case d != nil && d.event.ID == c.log.ID:
		c.observers.emit(Confirmed{Event: d.event, Position: c.log.Position, Latency: time.Since(d.made)})
		c.pending = nil
	case d != nil && (c.log.ID == "" || slices.Contains(d.bases, c.log.ID)):
		c.rebase()
	case c.log.ID == "":
		c.contribute(before)
	case c.alone && c.log.ID == before.ID:
		c.castVote("still failing")
	case d == nil && c.log.ID == before.ID && c.ramp != nil:
		// The way back is under way already.
	default:
		if d != nil {
			c.void(Stale)
		}
		c.adopt(c.causeOfReading(), time.Since(c.log.Time))
	}
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

// contribute writes what was in force into a blank log, unless it is what
// everybody starts with. The caller holds mu.
func (c *coordinator[P]) contribute(before State) {
	preferred := c.registry.adapters[0].Name
	if before.Adapter == "" || before.Adapter == preferred && !before.Pinned {
		return
	}
	e := c.event(KindSwitch, before.Adapter)
	e.Reason, e.Manual, e.Pinned = "in force before", before.Pinned, before.Pinned
	c.pending = &decision{event: e, cause: CauseContributed, made: time.Now(), bases: []string{""}}
	c.alone = false
	c.move(Switched{To: e.Target, Cause: CauseContributed})
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
