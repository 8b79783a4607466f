package rabbitmq

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
)

// status is what an operator wants to know about the connection.
type status int

const (
	unknown status = iota
	connected
	lost
	refused
)

// statusLog writes a line when the status changes, and none otherwise: a broker
// that stays away for an hour is one line.
type statusLog struct {
	log *slog.Logger
	mu  sync.Mutex
	now status
}

func (s *statusLog) change(to status, level slog.Level, message string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.now != to {
		s.now = to
		s.log.Log(context.Background(), level, message, args...)
	}
}

func (s *statusLog) is(status status) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now == status
}

// Stats counts what a Bus has done since New.
type Stats struct {
	// Connected says whether the log is being read.
	Connected bool
	// Connects counts the reads that caught up, Losses the ends of a connection.
	Connects, Losses uint64
	// Entries, Ignored and Malformed count messages read, by what they were; a
	// replay counts them again. Ignored are other events on the exchange.
	Entries, Ignored, Malformed uint64
	// Published counts confirmed events, PublishFailures the others.
	Published, PublishFailures uint64
}

type counters struct {
	connects, losses, entries, ignored, malformed, published, publishFailures atomic.Uint64
}

// Stats returns the counts, for metrics.
func (b *Bus) Stats() Stats {
	return Stats{
		Connected:       b.status.is(connected),
		Connects:        b.counters.connects.Load(),
		Losses:          b.counters.losses.Load(),
		Entries:         b.counters.entries.Load(),
		Ignored:         b.counters.ignored.Load(),
		Malformed:       b.counters.malformed.Load(),
		Published:       b.counters.published.Load(),
		PublishFailures: b.counters.publishFailures.Load(),
	}
}
