package main

import (
	"context"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/hotswap"
)

// The latency of the bus, one way each: a random time up to these. Together they
// are about what a RabbitMQ stream takes on a small machine.
const (
	maxToLog   = 5 * time.Millisecond
	maxFromLog = 15 * time.Millisecond
)

// slowBus gives a bus the latency of a network, and counts what passes.
type slowBus struct {
	hotswap.Bus
	*traffic
}

type traffic struct{ broadcasts, deliveries atomic.Int64 }

func (b *slowBus) Publish(ctx context.Context, e hotswap.AdapterSwitchEvent) error {
	time.Sleep(rand.N(maxToLog))
	b.broadcasts.Add(1)
	return b.Bus.Publish(ctx, e)
}

// Subscribe brings everything later, in the same order.
func (b *slowBus) Subscribe(ctx context.Context, s hotswap.Subscriber) error {
	d := &delay{s, b.traffic, make(chan delivery, 4096)}
	go d.run()
	defer close(d.queue)
	return b.Bus.Subscribe(ctx, d)
}

type delivery struct {
	due     time.Time
	deliver func()
}

// delay is a subscriber that passes on what it is told some time later.
type delay struct {
	hotswap.Subscriber
	*traffic
	queue chan delivery
}

func (d *delay) run() {
	for next := range d.queue {
		time.Sleep(time.Until(next.due))
		next.deliver()
	}
}

func (d *delay) later(deliver func()) {
	d.queue <- delivery{time.Now().Add(rand.N(maxFromLog)), deliver}
}

func (d *delay) Entry(p hotswap.Position, e hotswap.AdapterSwitchEvent) {
	d.later(func() { d.deliveries.Add(1); d.Subscriber.Entry(p, e) })
}

func (d *delay) Begin()         { d.later(d.Subscriber.Begin) }
func (d *delay) CaughtUp()      { d.later(d.Subscriber.CaughtUp) }
func (d *delay) Lost(err error) { d.later(func() { d.Subscriber.Lost(err) }) }
