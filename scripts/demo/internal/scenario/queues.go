package scenario

import (
	"context"
	"log/slog"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/hotswap"
	"github.com/adapter-hotswap/adapter-hotswap-go/services/hotswap/composition"
)

// queues is a stand-in for the bus of the article, where every instance has a
// queue of its own that lives as long as its connection: nothing is retained for
// whoever is away, and an event does not say on which state it was decided. It
// wraps the log and takes away what makes it one.
func queues(connect composition.Connect) composition.Connect {
	return func(s composition.Settings, id string, log *slog.Logger) (composition.Bus, error) {
		bus, err := connect(s, id, log)
		if err != nil {
			return nil, err
		}
		return queue{bus}, nil
	}
}

type queue struct{ composition.Bus }

// Publish leaves out what the decision was based on, so that nobody can tell that
// it is out of date.
func (q queue) Publish(ctx context.Context, e hotswap.AdapterSwitchEvent) error {
	e.After = nil
	return q.Bus.Publish(ctx, e)
}

// Subscribe leaves out the past.
func (q queue) Subscribe(ctx context.Context, s hotswap.Subscriber) error {
	return q.Bus.Subscribe(ctx, &forgetful{Subscriber: s})
}

type forgetful struct {
	hotswap.Subscriber
	live bool
}

func (f *forgetful) Begin() {
	f.live = false
	f.Subscriber.Begin()
}

func (f *forgetful) Entry(p hotswap.Position, e hotswap.AdapterSwitchEvent) {
	if f.live {
		f.Subscriber.Entry(p, e)
	}
}

func (f *forgetful) CaughtUp() {
	f.live = true
	f.Subscriber.CaughtUp()
}
