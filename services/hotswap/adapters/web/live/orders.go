package live

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// ErrUnknownInstance is matched when no instance of that name answers.
var ErrUnknownInstance = errors.New("no such instance")

// orderWait bounds how long an instance may take to report that it did as told.
const orderWait = 2 * time.Second

// obey carries out an order that is meant for this instance, if it lets itself be
// broken at all.
func (l *Live) obey(o Order) {
	if !l.settings.Chaos || l.settings.Line == nil || o.Instance != "" && o.Instance != l.settings.Name {
		return
	}
	if o.Cut && o.duration() > 0 {
		l.settings.Line.Cut(o.duration())
	} else {
		l.settings.Line.Mend()
	}
	l.settings.Journal.ringMoved()
}

// Command has the order's instance carry it out, and returns what that instance
// then reports. The error matches ErrUnknownInstance when none of that name
// answers, or answers that it did.
func (l *Live) Command(ctx context.Context, o Order) (Report, error) {
	if o.Instance == l.settings.Name {
		l.obey(o)
		return l.report(repeatApplied), nil
	}
	if l.settings.Gossip == nil {
		return Report{}, fmt.Errorf("%w: %w", ErrUnknownInstance, errNoGossip)
	}
	stop, err := l.Watch()
	if err != nil {
		return Report{}, err
	}
	defer stop()
	return l.carriedOut(ctx, o)
}

// carriedOut repeats the order until the instance reports that it was carried out.
func (l *Live) carriedOut(ctx context.Context, o Order) (Report, error) {
	ctx, cancel := context.WithTimeout(ctx, orderWait)
	defer cancel()
	order := encode(call{From: l.settings.ID, Order: &o})
	for {
		told := l.settings.Gossip.Tell(ctx, topicWatch, order)
		pause(ctx, 200*time.Millisecond)
		if r, found := l.board.named(o.Instance); found && r.Cut == o.Cut && told == nil {
			return r, nil
		}
		if ctx.Err() != nil {
			return Report{}, fmt.Errorf("%w: %q; there are %q", ErrUnknownInstance, o.Instance, l.board.names())
		}
	}
}

// MendAll lets every instance back on the bus.
func (l *Live) MendAll(ctx context.Context) error {
	l.obey(Order{})
	if l.settings.Gossip == nil {
		return nil
	}
	return l.settings.Gossip.Tell(ctx, topicWatch, encode(call{From: l.settings.ID, Order: &Order{}}))
}
