// Package poller is a driving adapter: it makes traffic, so that a demo with
// nobody at the keyboard shows what happens.
package poller

import (
	"context"
	"log/slog"
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
	phase    float64
	log      *slog.Logger
}

// New makes a poller. An interval of 0 turns it off. The phase, from 0 to 1, is
// where in each interval of the clock on the wall it polls: instances with other
// phases never call at the same moment.
func New(animals Animals, interval time.Duration, phase float64, log *slog.Logger) *Poller {
	return &Poller{animals: animals, interval: interval, phase: phase, log: log}
}

// Phase spreads instances that are counted from 1 over the interval, however
// many they are: 0, 1/2, 1/4, 3/4, 1/8 and so on (van der Corput's sequence).
func Phase(number int) float64 {
	phase, digit := 0.0, 0.5
	for n := number - 1; n > 0; n /= 2 {
		phase += digit * float64(n%2)
		digit /= 2
	}
	return phase
}

// Run polls until ctx ends. A poll that takes longer than the interval leaves
// out the polls in between.
func (p *Poller) Run(ctx context.Context) {
	if p.interval <= 0 {
		return
	}
	timer := time.NewTimer(p.untilNext(time.Now()))
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
		case <-ctx.Done():
			return
		}
		p.poll(ctx)
		timer.Reset(p.untilNext(time.Now()))
	}
}

// untilNext is never 0, so that no poll comes twice.
func (p *Poller) untilNext(now time.Time) time.Duration {
	next := now.Truncate(p.interval).Add(time.Duration(p.phase * float64(p.interval)))
	if !next.After(now) {
		next = next.Add(p.interval)
	}
	return next.Sub(now)
}

// poll leaves what was answered to the observers; only what nobody answered is
// said here.
func (p *Poller) poll(ctx context.Context) {
	if _, err := p.animals.Animal(ctx); err != nil && ctx.Err() == nil {
		p.log.Warn("NO RESPONSE: "+err.Error(), "error", err)
	}
}
