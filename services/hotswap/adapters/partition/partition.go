// Package partition takes one instance off the bus by hand, to show what a
// network partition does: it decides alone, and gives way when it is back.
//
// Only the log is cut. What the page hears of other instances comes another way
// and goes on, so that an audience can watch the instance that is cut off.
package partition

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/hotswap"
)

// ErrCut is what Publish returns, and a subscriber is told, while the line is
// cut. It matches hotswap.ErrUnavailable.
var ErrCut = fmt.Errorf("%w: cut off by hand", hotswap.ErrUnavailable)

// Line is a hotswap.Bus that can be cut: the read ends, and a Publish fails at
// once. It is safe for concurrent use. Make one with New.
type Line struct {
	bus hotswap.Bus

	mu sync.Mutex
	// until is when the cut ends; zero when the line works.
	until time.Time
	timer *time.Timer
	// changed is closed, and replaced, when the line is cut or mended.
	changed chan struct{}
}

// New makes a line to bus that works.
func New(bus hotswap.Bus) *Line {
	return &Line{bus: bus, changed: make(chan struct{})}
}

// Cut takes the instance off the bus for a while. A line that is cut already gets
// the new end.
func (l *Line) Cut(d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stop()
	var timer *time.Timer
	timer = time.AfterFunc(d, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.timer == timer {
			l.stop()
			l.change()
		}
	})
	l.timer, l.until = timer, time.Now().Add(d)
	l.change()
}

// Mend lets the instance back on the bus.
func (l *Line) Mend() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stop()
	l.change()
}

func (l *Line) stop() {
	if l.timer != nil {
		l.timer.Stop()
	}
	l.timer, l.until = nil, time.Time{}
}

func (l *Line) change() {
	close(l.changed)
	l.changed = make(chan struct{})
}

// Remaining is how long the line stays cut; 0 when it works.
func (l *Line) Remaining() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.timer == nil {
		return 0
	}
	return max(1, time.Until(l.until))
}

// Publish implements hotswap.Bus.
func (l *Line) Publish(ctx context.Context, event hotswap.AdapterSwitchEvent) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	isCut, changed := l.state()
	if isCut {
		return fmt.Errorf("publish: %w", ErrCut)
	}
	ended := make(chan struct{})
	defer close(ended)
	go func() {
		for !isCut {
			select {
			case <-changed:
				isCut, changed = l.state()
			case <-ended:
				return
			}
		}
		cancel(ErrCut)
	}()
	err := l.bus.Publish(ctx, event)
	if err != nil && errors.Is(context.Cause(ctx), ErrCut) {
		return fmt.Errorf("publish: %w", ErrCut)
	}
	return err
}

// state returns whether the line is cut, and what to wait for.
func (l *Line) state() (isCut bool, changed <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.timer != nil, l.changed
}

// Subscribe implements hotswap.Bus: it reads while the line works.
func (l *Line) Subscribe(ctx context.Context, s hotswap.Subscriber) error {
	told := &teller{Subscriber: s}
	for ctx.Err() == nil {
		if isCut, changed := l.state(); isCut {
			told.Lost(ErrCut)
			select {
			case <-changed:
			case <-ctx.Done():
			}
			continue
		}
		if err := l.read(ctx, told); err != nil && ctx.Err() == nil && !errors.Is(err, context.Canceled) {
			return err
		}
	}
	return ctx.Err()
}

// read subscribes until the line is cut.
func (l *Line) read(ctx context.Context, s hotswap.Subscriber) error {
	ctx, cancel := context.WithCancel(ctx)
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		defer cancel()
		for isCut, changed := l.state(); !isCut; isCut, changed = l.state() {
			select {
			case <-changed:
			case <-ctx.Done():
				return
			}
		}
	}()
	err := l.bus.Subscribe(ctx, s)
	cancel()
	<-watched
	return err
}

// teller tells a loss once, whether the bus found it or the line made it.
type teller struct {
	hotswap.Subscriber
	lost bool
}

func (t *teller) Begin() {
	t.lost = false
	t.Subscriber.Begin()
}

func (t *teller) Lost(err error) {
	if !t.lost {
		t.lost = true
		t.Subscriber.Lost(err)
	}
}
