package faults

import (
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/rabbitmq/brokertest"
)

// TestFaults breaks each kind of broker that is to be had, in every way.
func TestFaults(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some minutes; run without -short")
	}
	for _, kind := range brokertest.Kinds() {
		t.Run(kind.Name, func(t *testing.T) {
			broker := kind.New(t)
			// The broker does not run yet.
			verified(t, "AbsentAtStartAndForAMinute", broker, absentAtStart)
			for _, fault := range faults {
				verified(t, fault.name, broker, func(t *testing.T, broker brokertest.Broker) {
					broker.Start(t)
					fault.run(t, broker)
				})
			}
		})
	}
}

var faults = []struct {
	name string
	run  func(*testing.T, brokertest.Broker)
}{
	{"GracefulRestart", gracefulRestart},
	{"KilledUnderLoad", killedUnderLoad},
	{"AppStopped", appStopped},
	{"EveryConnectionClosedTenTimes", connectionsClosed},
	{"FrozenForEightSeconds", frozen},
	{"MemoryAlarm", memoryAlarm},
	{"OneInstancePartitioned", partitioned},
	{"CutAfterHandshake", cutAfterHandshake},
	{"ResetDuringPublish", resetDuringPublish},
	{"StreamDeletedUnderLoad", streamDeleted},
	{"OneInstanceAway", oneAway},
	{"AllRestartedDuringOutage", allRestarted},
	{"TwoDecideDifferently", twoDecideDifferently},
	{"ReplacedByAnEmptyBroker", replacedByEmpty},
	{"ExchangeWithOtherArguments", otherExchange},
	{"QueueWithOtherArguments", otherQueue},
	{"WrongPassword", wrongPassword},
	{"UnknownVhost", unknownVhost},
}

// verified runs one fault and then looks for goroutines that it has left.
func verified(t *testing.T, name string, broker brokertest.Broker, run func(*testing.T, brokertest.Broker)) {
	t.Run(name, func(t *testing.T) {
		running := goleak.IgnoreCurrent()
		t.Cleanup(func() { goleak.VerifyNone(t, running) })
		run(t, broker)
	})
}

func absentAtStart(t *testing.T, broker brokertest.Broker) {
	c := newCluster(t, broker, nil)
	stop := c.requests()
	c.each(func(m *member) { <-m.Ready() })
	c.down.Store(true)
	c.members[0].call(t)
	if on := c.members[0].active(); on != fallback {
		t.Errorf("without a bus, the detector is on %s", on)
	}
	last(time.Minute)
	broker.Start(t)
	c.awaitConnected()
	stop()
	c.awaitOn(fallback)
	c.settle()
	if n := c.log.count("bus lost"); n != len(c.members) {
		t.Errorf("%d lines say that the bus is away, want one of each member", n)
	}
}
