package rabbitmq

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"
)

// Settings say where the broker is and how to treat it. Only URLs and ID are
// required; each zero value has the meaning that its field names.
type Settings struct {
	// URLs are the brokers, tried in turn, as amqp:// or amqps:// URIs. Several
	// make sense for the nodes of one cluster only.
	URLs []string
	// TLS applies to amqps:// URLs.
	TLS TLS
	// ID is the bus id of this instance: see NewID. Destinations are matched
	// against it.
	ID string
	// Exchange is the bus exchange; "" is "springCloudBus".
	Exchange string
	// Stream is the durable stream queue that is the log; "" is the first part of
	// ID and ".log". Services that share a broker and not their switches need
	// another exchange.
	Stream string
	// MaxBytes bounds what the stream retains; 0 is 16 MiB, some 40,000 entries.
	// The broker drops whole segments, and only closed ones. A change needs the
	// stream to be deleted: the broker freezes a queue's arguments.
	MaxBytes int64
	// SegmentBytes is the size of a segment; 0 is a sixteenth of MaxBytes.
	SegmentBytes int64
	// Heartbeat is the interval of keep-alives; a broker that is silent for one and
	// a half of it is given up. 0 is 3 s, and 1 s is the least that the protocol
	// takes.
	Heartbeat time.Duration
	// StepTimeout bounds each step of connecting, and each write; 0 is 5 s.
	StepTimeout time.Duration
	// BackoffMin and BackoffMax bound the pause between two attempts to connect.
	// It doubles from one to the other, with jitter; where the broker refuses us
	// (password, permissions, arguments), it is BackoffMax at once. 0 is 200 ms and
	// 5 s.
	BackoffMin, BackoffMax time.Duration
	// Logger gets a line when the connection's state changes, an error where the
	// broker refuses us and else for debugging, because the subscriber is told,
	// too; and a warning for each kind and origin of malformed messages. nil is
	// silence.
	Logger *slog.Logger
}

// TLS are the files, in PEM, for amqps:// URLs.
type TLS struct {
	// CAFile holds the authorities to trust; "" is those of the system.
	CAFile string
	// CertFile and KeyFile are this client's certificate; "" is none.
	CertFile, KeyFile string
}

const (
	defaultExchange = "springCloudBus"
	defaultMaxBytes = 16 << 20
	minHeartbeat    = time.Second
)

// withDefaults replaces each zero value by what it stands for.
func (s Settings) withDefaults() Settings {
	app, _, _ := strings.Cut(s.ID, ":")
	s.Exchange = cmp.Or(s.Exchange, defaultExchange)
	s.Stream = cmp.Or(s.Stream, app+".log")
	s.MaxBytes = cmp.Or(s.MaxBytes, defaultMaxBytes)
	s.SegmentBytes = cmp.Or(s.SegmentBytes, max(s.MaxBytes/16, 1))
	s.Heartbeat = cmp.Or(s.Heartbeat, 3*time.Second)
	s.StepTimeout = cmp.Or(s.StepTimeout, 5*time.Second)
	s.BackoffMin = cmp.Or(s.BackoffMin, 200*time.Millisecond)
	s.BackoffMax = cmp.Or(s.BackoffMax, max(5*time.Second, s.BackoffMin))
	s.Logger = cmp.Or(s.Logger, slog.New(slog.DiscardHandler))
	return s
}

// check says what is wrong with settings whose defaults are filled in.
func (s Settings) check() error {
	switch {
	case len(s.URLs) == 0:
		return errors.New("no broker URL")
	case s.ID == "" || strings.ContainsAny(s.ID, reserved) || strings.Trim(s.ID, ":") != s.ID || len(s.ID) > maxText:
		return fmt.Errorf("bus id %q: want 1 to %d characters, none of %s, and a colon at neither end",
			shorten(s.ID), maxText, reserved)
	case s.MaxBytes < 0 || s.SegmentBytes < 0 || s.SegmentBytes > s.MaxBytes:
		return fmt.Errorf("log of %d bytes in segments of %d: want 0 < segment ≤ log", s.MaxBytes, s.SegmentBytes)
	case s.Heartbeat < minHeartbeat:
		return fmt.Errorf("heartbeat %s: want at least %s", s.Heartbeat, minHeartbeat)
	case s.StepTimeout < 0:
		return fmt.Errorf("step timeout %s: want more than 0", s.StepTimeout)
	case s.BackoffMin < 0 || s.BackoffMax < s.BackoffMin:
		return fmt.Errorf("backoff from %s to %s: want 0 < from ≤ to", s.BackoffMin, s.BackoffMax)
	}
	return nil
}
