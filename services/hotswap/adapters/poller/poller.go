// Package poller is a driving adapter: it makes traffic, so that a demo with
// nobody at the keyboard shows what happens.
package poller

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"time"
)

// Animals is what the poller drives.
type Animals interface {
	Animal(ctx context.Context) (string, error)
}

// Poller asks for an animal again and again.
type Poller struct {
	animals  Animals
	interval time.Duration
	log      *slog.Logger
}

// New makes a poller. An interval of 0 turns it off.
func New(animals Animals, interval time.Duration, log *slog.Logger) *Poller {
	return &Poller{animals: animals, interval: interval, log: log}
}

// Run polls until ctx ends. The first poll comes at a random part of the
// interval, so that instances that start together do not call together.
func (p *Poller) Run(ctx context.Context) {
	if p.interval <= 0 {
		return
	}
	timer := time.NewTimer(rand.N(p.interval))
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
		case <-ctx.Done():
			return
		}
		timer.Reset(p.interval)
		p.poll(ctx)
	}
}

// poll leaves what was answered to the observers; only what nobody answered is
// said here.
func (p *Poller) poll(ctx context.Context) {
	if _, err := p.animals.Animal(ctx); err != nil && ctx.Err() == nil {
		p.log.Warn("NO RESPONSE: "+err.Error(), "error", err)
	}
}
