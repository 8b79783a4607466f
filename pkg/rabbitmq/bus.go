// Package rabbitmq is a Bus on RabbitMQ: one durable stream, bound to the bus
// exchange, is the log that all instances read in the same order. Messages have
// Spring Cloud Bus's format, so that an instance written in Java can share the
// exchange.
//
// A Bus keeps itself connected. Each connection reads the log afresh from its
// first retained entry, so that a broker that lost its log, or was replaced,
// needs no special case.
package rabbitmq

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	amqp "github.com/rabbitmq/amqp091-go"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/hotswap"
)

// ErrClosed is what Publish and Subscribe return after Close. It matches
// hotswap.ErrUnavailable.
var ErrClosed = fmt.Errorf("%w: closed", hotswap.ErrUnavailable)

// errNoConnection is what Publish returns while the broker is away.
var errNoConnection = fmt.Errorf("%w: no connection to the broker", hotswap.ErrUnavailable)

// Bus is a hotswap.Bus on RabbitMQ. It is safe for concurrent use. Make one with
// New.
type Bus struct {
	settings  Settings
	brokers   []broker
	counters  counters
	malformed *malformedLog
	status    *statusLog
	gossip    gossip

	mu         sync.Mutex
	session    *session
	subscribed bool
	closed     bool
	life       context.Context
	end        context.CancelFunc
}

// New checks settings and returns a Bus that has not connected yet: Subscribe
// does that. The error names the setting and the rule, and never holds a
// password.
func New(settings Settings) (*Bus, error) {
	settings = settings.withDefaults()
	if err := settings.check(); err != nil {
		return nil, fmt.Errorf("rabbitmq: %w", err)
	}
	brokers, err := settings.brokers()
	if err != nil {
		return nil, fmt.Errorf("rabbitmq: %w", err)
	}
	b := &Bus{
		settings:  settings,
		brokers:   brokers,
		malformed: newMalformedLog(settings.Logger),
		status:    &statusLog{log: settings.Logger},
	}
	b.life, b.end = context.WithCancel(context.Background())
	return b, nil
}

// Publish implements hotswap.Bus. It returns once the broker has confirmed that
// the stream holds the event. While there is no connection, or the broker blocks
// publishing, it fails at once.
func (b *Bus) Publish(ctx context.Context, event hotswap.AdapterSwitchEvent) error {
	err := b.publish(ctx, event)
	if err != nil {
		b.counters.publishFailures.Add(1)
		return fmt.Errorf("publish: %w", err)
	}
	b.counters.published.Add(1)
	return nil
}

func (b *Bus) publish(ctx context.Context, event hotswap.AdapterSwitchEvent) error {
	body, err := encode(event)
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	publisher, err := b.publisher()
	if err != nil {
		return err
	}
	return publisher.publish(ctx, b.settings.Exchange, publishing(body))
}

// publishing gives a body the properties that a Spring Cloud Bus peer sets.
func publishing(body []byte) amqp.Publishing {
	return amqp.Publishing{
		ContentType:  jsonContent,
		DeliveryMode: amqp.Persistent,
		Priority:     0,
		MessageId:    newUUID(),
		Timestamp:    time.Now().Truncate(time.Second),
		Body:         body,
	}
}

func (b *Bus) publisher() (*publisher, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.closed:
		return nil, ErrClosed
	case b.session == nil:
		return nil, errNoConnection
	}
	return b.session.publisher, nil
}

// Subscribe implements hotswap.Bus. It connects and stays connected until ctx
// ends or the Bus is closed, and calls s from the caller's goroutine. A Bus has
// one subscription at a time.
func (b *Bus) Subscribe(ctx context.Context, s hotswap.Subscriber) error {
	if err := b.enter(); err != nil {
		return fmt.Errorf("subscribe: %w", err)
	}
	defer b.leave()
	running, stop := context.WithCancel(ctx)
	defer stop()
	defer context.AfterFunc(b.life, stop)()
	b.supervise(running, s)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return ErrClosed
}

func (b *Bus) enter() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.closed:
		return ErrClosed
	case b.subscribed:
		return errors.New("the bus has a subscription already")
	}
	b.subscribed = true
	return nil
}

func (b *Bus) leave() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.subscribed = false
}

// Close disconnects and makes Subscribe return. It takes at most some 3 s, even
// if the broker does not answer, and does not wait for a subscriber's call. It
// returns nil and may be called again.
func (b *Bus) Close() error {
	b.mu.Lock()
	b.closed = true
	session := b.session
	b.mu.Unlock()
	b.end()
	if session != nil {
		session.close()
	}
	return nil
}

// attach makes session the one that Publish uses. It refuses after Close.
func (b *Bus) attach(session *session) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return ErrClosed
	}
	b.session = session
	return nil
}

func (b *Bus) detach() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.session = nil
}

// connected notes that the subscriber has the whole log.
func (b *Bus) connected(s *session) {
	b.counters.connects.Add(1)
	b.status.change(connected, slog.LevelDebug, "bus connected",
		"broker", s.consume.RemoteAddr().String(), "stream", s.settings.Stream)
}
