package rabbitmq

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"
)

func textLog() (*slog.Logger, *bytes.Buffer) {
	b := &bytes.Buffer{}
	return slog.New(slog.NewTextHandler(b, nil)), b
}

func lines(b *bytes.Buffer) int { return strings.Count(b.String(), "\n") }

// One line for each kind and origin, however often a message is replayed.
func TestMalformedIsLoggedOnce(t *testing.T) {
	log, b := textLog()
	m := newMalformedLog(log)
	for range 100 {
		m.report(1, &malformed{Kind: "json", Origin: "a"})
		m.report(2, &malformed{Kind: "json", Origin: "b"})
		m.report(3, &malformed{Kind: "value", Origin: "a"})
	}
	if n := lines(b); n != 3 {
		t.Errorf("%d lines, want 3:\n%s", n, b)
	}
}

// A sender that makes up origins fills neither the log nor the memory.
func TestMalformedIsBounded(t *testing.T) {
	log, b := textLog()
	m := newMalformedLog(log)
	for i := range 10_000 {
		m.report(1, &malformed{Kind: "json", Origin: fmt.Sprint(i), Detail: strings.Repeat("x", 10_000)})
	}
	if n := lines(b); n != malformedLimit+1 {
		t.Errorf("%d lines, want %d", n, malformedLimit+1)
	}
	if b.Len() > 100*lines(b)*3 || len(m.seen) > malformedLimit+1 {
		t.Errorf("%d bytes logged, %d keys kept", b.Len(), len(m.seen))
	}
}

func TestStatusIsLoggedOnce(t *testing.T) {
	log, b := textLog()
	s := &statusLog{log: log}
	for range 3 {
		s.change(lost, slog.LevelWarn, "bus lost")
	}
	s.change(connected, slog.LevelInfo, "bus connected")
	s.change(lost, slog.LevelWarn, "bus lost")
	if n := lines(b); n != 3 || s.is(connected) {
		t.Errorf("%d lines, want 3:\n%s", n, b)
	}
}

func TestBackoff(t *testing.T) {
	b := backoff{min: 100 * time.Millisecond, max: time.Second}
	for round := range 2 {
		for i, longest := range []time.Duration{100, 200, 400, 800, 1000, 1000} {
			longest *= time.Millisecond
			if d := b.pause(); d > longest || d < longest/2 {
				t.Errorf("round %d, pause %d: %s, want between %s and %s", round, i, d, longest/2, longest)
			}
		}
		b.reset()
	}
	if d := b.longest(); d < b.max/2 || d > b.max {
		t.Errorf("longest pause %s", d)
	}
}
