package faults

import (
	"testing"
	"time"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/rabbitmq/brokertest"
)

// The instance that was away returns to what the others have decided.
func partitioned(t *testing.T, broker brokertest.Broker) {
	c := newCluster(t, broker, nil)
	c.awaitConnected()
	alone := c.members[2]
	alone.proxy.Freeze()
	began := time.Now()

	c.down.Store(true)
	c.members[0].call(t)
	c.await("the other to follow", func() bool { return c.members[1].active() == fallback })
	stop := c.requests()
	c.await("the log", func() bool { return !c.members[0].Status().Pending })
	c.members[1].decide(t, spare)
	c.await("the other to follow", func() bool { return c.members[0].active() == spare })
	if on := alone.active(); on == spare {
		t.Error("the instance that is cut off knows of the switch")
	}

	last(8*time.Second - time.Since(began))
	alone.proxy.Mend()
	c.awaitOn(spare)
	c.awaitConnected()
	stop()
	c.settle()
}

// The connection ends at some point of the handshake, or just after it.
func cutAfterHandshake(t *testing.T, broker brokertest.Broker) {
	c := newCluster(t, broker, nil)
	c.awaitConnected()
	c.down.Store(true)
	c.members[0].decide(t, fallback)
	c.awaitOn(fallback)
	proxy := c.members[2].proxy
	for _, bytes := range []int{1, 500, 530, 560, 700} {
		proxy.CutAfter(bytes)
		proxy.Reset()
		accepted := proxy.Accepted()
		c.await("one more attempt", func() bool { return proxy.Accepted() > accepted+1 })
	}
	c.members[1].decide(t, spare)
	proxy.Mend()
	c.awaitConnected()
	c.awaitOn(spare)
	c.settle()
}

func resetDuringPublish(t *testing.T, broker brokertest.Broker) {
	underLoad(t, broker, func(c *cluster) {
		for range 20 {
			c.members[0].proxy.Reset()
			c.await("a connection", c.members[0].connected)
			last(20 * time.Millisecond)
		}
	})
}

func oneAway(t *testing.T, broker brokertest.Broker) {
	c := newCluster(t, broker, nil)
	c.awaitConnected()
	away := c.members[2]
	away.proxy.Cut()
	c.await("the loss", func() bool { return !away.connected() })

	c.down.Store(true)
	c.members[0].call(t)
	c.await("the other to follow", func() bool { return c.members[1].active() == fallback })
	away.proxy.Mend()
	c.awaitOn(fallback)
	c.settle()
}

// What the log does not say never counts as primary: each instance that starts
// is on the fallback before it serves.
func allRestarted(t *testing.T, broker brokertest.Broker) {
	c := newCluster(t, broker, nil)
	c.awaitConnected()
	c.down.Store(true)
	c.members[0].call(t)
	c.awaitOn(fallback)

	old := c.members
	c.close()
	for _, m := range old {
		c.members = append(c.members, c.start(m.proxies))
	}
	c.each(func(m *member) {
		<-m.Ready()
		if on := m.active(); m.connected() && on != fallback {
			t.Errorf("an instance is ready on %s", on)
		}
	})
	c.awaitOn(fallback)
	c.settle()
}

// Of two decisions at the same moment one wins, everywhere.
func twoDecideDifferently(t *testing.T, broker brokertest.Broker) {
	c := newCluster(t, broker, nil)
	c.awaitConnected()
	c.down.Store(true) // so that no health checker joins in
	adapters := []string{primary, fallback, spare}
	on := 0
	for range 500 {
		left, right := adapters[(on+1)%3], adapters[(on+2)%3]
		decided := make(chan struct{})
		go func() { defer close(decided); c.members[0].decide(t, left) }()
		c.members[1].decide(t, right)
		<-decided
		c.await("agreement", func() bool { return c.agreed() && c.members[2].active() != adapters[on] })
		if c.members[0].active() == left {
			on = (on + 1) % 3
		} else {
			on = (on + 2) % 3
		}
	}
	c.settle()
}
