package hotswap

// vote moves this instance for itself alone and asks the others to follow. The
// caller holds mu.
func (c *coordinator[P]) vote(target, reason string) {
	c.alone = true
	if c.returnFailed() && !c.pending.sent {
		c.pending = nil // before anybody heard of it
	}
	c.observers.emit(Decided{From: c.registry.ActiveName(), Target: target, Cause: CauseAlone, Reason: reason})
	c.move(Switched{To: target, Cause: CauseAlone, Reason: reason})
	c.stayAlone(reason)
}

// stayAlone asks again for the adapter that this instance uses for itself,
// unless the cluster is there by now. A vote expires and is void after a switch,
// so it is cast again while its reason lasts. The caller holds mu.
func (c *coordinator[P]) stayAlone(reason string) {
	if !c.alone {
		return
	}
	if c.registry.ActiveName() == c.cluster() {
		c.alone = false
		return
	}
	e := c.event(KindVote, c.registry.ActiveName())
	e.Reason, e.Quorum, e.Window = reason, c.settings.Quorum, c.settings.QuorumWindow
	c.note(e)
}

// renewVote is what a probe that failed again means.
func (c *coordinator[P]) renewVote() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stayAlone(stillFailing)
}

const stillFailing = "still failing"

// recoveredAlone moves an instance that left the cluster nearer to it again, or
// back to it. The caller holds mu.
func (c *coordinator[P]) recoveredAlone(target string) {
	decided := Decided{From: c.registry.ActiveName(), Target: target, Cause: CauseAlone, Reason: reasonRecovered}
	rejoins := target == c.cluster()
	if rejoins {
		decided.Event = c.event(KindWithdraw, "")
	}
	c.observers.emit(decided)
	c.move(Switched{To: target, Cause: CauseAlone, Reason: reasonRecovered})
	if !rejoins {
		c.stayAlone(stillFailing)
		return
	}
	c.alone = false
	c.note(decided.Event)
}

// returnFailed reports whether the decision on its way is a return to an adapter
// that has failed here again since. The caller holds mu.
func (c *coordinator[P]) returnFailed() bool {
	return c.alone && c.pending != nil && c.pending.cause == CauseRecovery && !c.pending.event.Manual
}
