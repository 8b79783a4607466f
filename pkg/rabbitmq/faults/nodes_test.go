package faults

import (
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/rabbitmq/brokertest"
)

// TestLeaderStopped kills one of three nodes, the one that leads the stream,
// during an outage: the next switch and the way back go through all the same.
func TestLeaderStopped(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some minutes; run without -short")
	}
	nodes := brokertest.StartNodes(t, "../../..")
	running := goleak.IgnoreCurrent()
	t.Cleanup(func() { goleak.VerifyNone(t, running) })
	c := newClusterOn(t, nodes.Ports, nil)
	c.awaitConnected()
	stop := c.requests()
	c.down.Store(true)
	c.awaitOn(fallback)
	c.await("the log", c.agreed)

	leader := nodes.StopLeader(t, c.settings.Stream)
	began := time.Now()
	c.members[1].decide(t, spare)
	c.awaitOn(spare)
	c.await("the log", c.agreed)
	switched := time.Since(began)
	c.down.Store(false)
	c.awaitOn(primary)
	c.await("the log", c.agreed)
	t.Logf("measured: after the stop of %s the switch was everybody's within %s, the way back within %s (hoped for 15 s)",
		leader, switched.Round(time.Millisecond), time.Since(began).Round(time.Millisecond))
	stop()
	c.settle()
}
