package faults

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/bustest"
	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/hotswap"
	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/rabbitmq/brokertest"
)

// underLoad has a healthy cluster decide and answer while fault is on, and lets
// it settle after.
func underLoad(t *testing.T, broker brokertest.Broker, fault func(*cluster)) {
	c := newCluster(t, broker, nil)
	c.awaitConnected()
	stop := c.load()
	fault(c)
	c.awaitConnected()
	stop()
	c.settle()
}

func gracefulRestart(t *testing.T, broker brokertest.Broker) {
	underLoad(t, broker, func(*cluster) {
		broker.Stop(t)
		broker.Start(t)
	})
}

func killedUnderLoad(t *testing.T, broker brokertest.Broker) {
	underLoad(t, broker, func(*cluster) {
		last(time.Second)
		broker.Kill(t)
		broker.Start(t)
	})
}

func appStopped(t *testing.T, broker brokertest.Broker) {
	underLoad(t, broker, func(*cluster) {
		broker.Ctl(t, "stop_app")
		broker.Ctl(t, "start_app")
	})
}

func connectionsClosed(t *testing.T, broker brokertest.Broker) {
	underLoad(t, broker, func(c *cluster) {
		for range 10 {
			broker.Ctl(t, "close_all_connections", "test")
			c.awaitConnected()
		}
	})
}

// A frozen broker neither answers nor hangs up: only heartbeats tell.
func frozen(t *testing.T, broker brokertest.Broker) {
	c := newCluster(t, broker, nil)
	c.awaitConnected()
	stop := c.load()
	broker.Freeze(t)
	last(8 * time.Second)
	broker.Thaw(t)
	c.awaitConnected()
	stop()
	c.settle()

	broker.Freeze(t)
	t.Cleanup(func() { broker.Thaw(t) })
	c.close()
}

// A broker that is short of memory takes nothing from publishers, not even a
// farewell.
func memoryAlarm(t *testing.T, broker brokertest.Broker) {
	c := newCluster(t, broker, nil)
	c.awaitConnected()
	stop := c.requests()
	broker.Ctl(t, "set_vm_memory_high_watermark", "0.000001")
	t.Cleanup(func() { broker.Ctl(t, "set_vm_memory_high_watermark", "0.6") })

	c.down.Store(true)
	c.each(func(m *member) { m.call(t) })
	c.awaitOn(fallback)
	c.each(func(m *member) {
		if !m.connected() {
			t.Error("an instance that can still read has lost the bus")
		}
	})
	c.await("the bus to say that it is blocked", func() bool { return c.members[0].isRefusedAtOnce() })
	stop()
	// Who starts now cannot append a marker, and yet finds the end of the log.
	c.members[2].close(t)
	c.members[2] = c.start(c.members[2].proxies)
	c.await("a connection during the alarm", c.members[2].connected)
	broker.Ctl(t, "set_vm_memory_high_watermark", "0.6")
	c.awaitConnected()
	c.settle()

	broker.Ctl(t, "set_vm_memory_high_watermark", "0.000001")
	c.down.Store(false)
	c.awaitOn(primary)
	c.close()
}

// isRefusedAtOnce publishes what changes nothing, and reports whether the bus
// refuses instead of waiting.
func (m *member) isRefusedAtOnce() bool {
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	return errors.Is(m.bus.Publish(ctx, bustest.Event("alarm", 1)), hotswap.ErrUnavailable)
}
