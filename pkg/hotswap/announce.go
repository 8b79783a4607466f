package hotswap

import "slices"

// maxBehind is how far the log may grow beyond the switch in force, before that is
// stated again. A log must retain some times as much.
const maxBehind Position = 1000

// announceAfter states again what is in force where the live entry e, at position
// p, calls for it. One instance does so: the author of e, or for a peer that keeps
// no log the author of what is in force. The caller holds mu.
func (c *coordinator[P]) announceAfter(p Position, e AdapterSwitchEvent) {
	own := e.Origin == c.settings.ID
	if own && c.behind(p) || c.misled() && (own || e.After == nil && c.log.Origin == c.settings.ID) {
		c.announce()
	}
}

// announceAfterReading does so for a past that ends at position p.
func (c *coordinator[P]) announceAfterReading(p Position) {
	own := c.log.saidBy == c.settings.ID || c.log.Origin == c.settings.ID
	if c.behind(p) || c.misled() && own {
		c.announce()
	}
}

// behind reports whether the switch in force is about to leave what the log
// retains, pushed out by the votes and claims of a long outage.
func (c *coordinator[P]) behind(end Position) bool { return end >= c.log.Position+maxBehind }

// misled reports whether a peer that follows every switch, void ones too, and
// counts no votes, is on another adapter than the others.
func (c *coordinator[P]) misled() bool { return c.log.said != c.log.Adapter }

// announce states again what is in force, under the id that it has. The caller
// holds mu.
func (c *coordinator[P]) announce() {
	if c.log.Adapter == "" || c.pending != nil {
		return
	}
	e := c.event(KindSwitch, c.log.Adapter)
	e.ID, e.Time, e.Reason = c.log.ID, c.log.Time, c.log.Reason
	e.Manual, e.Pinned = c.log.Pinned, c.log.Pinned
	c.note(e)
}

// restated has what is on its way follow the new place of the switch in force.
// The caller holds mu.
func (c *coordinator[P]) restated() {
	if c.pending != nil && slices.Contains(c.pending.bases, c.log.ID) {
		c.rebase()
	}
	c.stayAlone(stillFailing)
}
