package hotswap

import (
	"math/rand/v2"
	"time"
)

// ramp is a move to the log's adapter that waits for its turn, so that not every
// instance returns at the same moment.
type ramp struct {
	move  Switched
	began time.Time
	timer *time.Timer
}

// startRamp moves after a random part of the ramp, unless something newer stops
// it. The caller holds mu.
func (c *coordinator[P]) startRamp(s Switched) {
	r := &ramp{move: s, began: time.Now()}
	r.timer = time.AfterFunc(rand.N(c.log.Ramp), func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.ramp == r {
			c.endRamp()
		}
	})
	c.ramp = r
	wake(c.health)
}

// endRamp moves now. The caller holds mu and knows that a ramp is under way.
func (c *coordinator[P]) endRamp() {
	s := c.ramp.move
	s.Latency += time.Since(c.ramp.began)
	c.stopRamp()
	c.move(s)
}

// stopRamp calls off a move that waits for its turn.
func (c *coordinator[P]) stopRamp() {
	if c.ramp != nil {
		c.ramp.timer.Stop()
		c.ramp = nil
	}
}
