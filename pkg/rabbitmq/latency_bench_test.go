package rabbitmq_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/hotswap"
	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/rabbitmq"
	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/rabbitmq/brokertest"
)

// BenchmarkSwitch measures the time from a decision to the moment when the last
// instance has applied it, at 20 decisions a second. Hoped for at 10 instances:
// half of them within 5 ms, 99 % within 50 ms.
//
//	go test -run '^$' -bench Switch -benchtime 500x ./pkg/rabbitmq
func BenchmarkSwitch(b *testing.B) {
	for _, kind := range brokertest.Kinds() {
		b.Run(kind.Name, func(b *testing.B) {
			broker := kind.New(b)
			broker.Start(b)
			for _, n := range []int{2, 10, 50} {
				b.Run(fmt.Sprintf("instances=%d", n), func(b *testing.B) { benchmarkSwitch(b, newLog(broker), n) })
			}
		})
	}
}

type port func(context.Context) (string, error)

func benchmarkSwitch(b *testing.B, l *busLog, n int) {
	applied := make(chan time.Time, n)
	instances := make([]*hotswap.Instance[port], n)
	for i := range instances {
		bus := l.bus(b, brokertest.URL(l.broker))
		instance, err := hotswap.New[port](bus, hotswap.Settings{
			ID:         rabbitmq.NewID("bench", fmt.Sprint(i)),
			ReplayWait: time.Minute,
			Observers: []hotswap.Observer{hotswap.ObserverFunc(func(o hotswap.Observation) {
				if _, ok := o.(hotswap.Switched); ok {
					applied <- time.Now()
				}
			})},
		}, hotswap.Adapter[port]{Name: "left"}, hotswap.Adapter[port]{Name: "right"})
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { instance.Close(); bus.Close() })
		instances[i] = instance
	}
	for _, instance := range instances {
		<-instance.Ready()
	}

	var took []time.Duration
	for b.Loop() {
		target := []string{"right", "left"}[len(took)%2]
		began := time.Now()
		if err := instances[len(took)%n].Switch(target, false); err != nil {
			b.Fatal(err)
		}
		var last time.Time
		for range n {
			last = <-applied
		}
		took = append(took, last.Sub(began))
		b.StopTimer()
		time.Sleep(50*time.Millisecond - time.Since(began)%(50*time.Millisecond))
		b.StartTimer()
	}
	slices.Sort(took)
	at := func(share float64) float64 {
		return float64(took[int(share*float64(len(took)-1))].Microseconds()) / 1000
	}
	b.ReportMetric(at(0.50), "p50-ms")
	b.ReportMetric(at(0.99), "p99-ms")
	b.ReportMetric(0, "ns/op")
}
