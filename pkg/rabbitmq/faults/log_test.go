package faults

import (
	"testing"
	"time"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/rabbitmq/brokertest"
)

// While the log is missing nothing is confirmed; the instances make a new one
// and agree on it.
func streamDeleted(t *testing.T, broker brokertest.Broker) {
	underLoad(t, broker, func(c *cluster) {
		for range 3 {
			broker.Ctl(t, "delete_queue", c.settings.Stream)
			c.each(func(m *member) { m.bus.forget() })
			c.awaitConnected()
			last(200 * time.Millisecond)
		}
	})
}

// A blank log changes nothing: nobody falls back to a primary that is down, and
// the new log is told what is in force.
func replacedByEmpty(t *testing.T, broker brokertest.Broker) {
	c := newCluster(t, broker, nil)
	c.awaitConnected()
	c.down.Store(true)
	c.members[0].call(t)
	c.awaitOn(fallback)
	stop := c.requests()

	broker.Empty(t)
	c.each(func(m *member) { m.bus.forget() })
	broker.Start(t)
	c.awaitConnected()
	stop()
	c.awaitOn(fallback)
	c.settle()
	c.each(func(m *member) {
		if n := m.movedTo(primary); n > 0 {
			t.Errorf("an instance went to the primary %d times during its outage", n)
		}
		if state := m.Status().Log; state.Adapter != fallback {
			t.Errorf("the new log has %q in force, want fallback", state.Adapter)
		}
	})
	c.down.Store(false)
	c.awaitOn(primary)
	c.settle()
}
