package hotswap

// maxOtherQuorums bounds what is remembered of who was reported.
const maxOtherQuorums = 1024

// compareQuorum warns, once for each author, of one whose quorum differs from
// ours. The log folds alike all the same, since each vote carries its quorum. The
// caller holds mu.
func (c *coordinator[P]) compareQuorum(e AdapterSwitchEvent) {
	if e.Quorum == 0 || e.Quorum == c.settings.Quorum ||
		c.otherQuorums[e.Origin] || len(c.otherQuorums) == maxOtherQuorums {
		return
	}
	c.otherQuorums[e.Origin] = true
	c.observers.emit(QuorumMismatch{Origin: e.Origin, Theirs: e.Quorum, Ours: c.settings.Quorum})
}
