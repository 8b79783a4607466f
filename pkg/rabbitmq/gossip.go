package rabbitmq

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	amqp "github.com/rabbitmq/amqp091-go"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/hotswap"
)

// Gossip is what instances tell each other past the log: short messages that
// nobody keeps. It goes over an exchange and connections of its own, so that
// nothing that happens to it touches the log.
//
// Each listener reads an exclusive queue that the broker deletes with the
// connection. It is bounded, and drops its oldest message when it is full.
const (
	gossipSuffix  = ".gossip"
	gossipUnheard = 2000
	gossipTTL     = 5000 // milliseconds
)

// errNoGossip is what Tell returns while no listener is connected.
var errNoGossip = fmt.Errorf("%w: no connection for gossip", hotswap.ErrUnavailable)

// gossip holds the connections over which Tell can send.
type gossip struct {
	mu   sync.Mutex
	open []*whisper
}

// whisper is the connection of one listener.
type whisper struct {
	link       *link
	reading    *amqp.Channel
	telling    *amqp.Channel
	closed     <-chan *amqp.Error
	tellClosed <-chan *amqp.Error
	deliveries <-chan amqp.Delivery
	turn       chan struct{} // held by the one Tell under way
}

// Tell sends a message to all who hear topic now, itself included. It uses the
// connection of a Hear, and fails at once where there is none. Nobody confirms
// that it arrived.
func (b *Bus) Tell(ctx context.Context, topic string, message []byte) error {
	if b.life.Err() != nil {
		return fmt.Errorf("tell: %w", ErrClosed)
	}
	w := b.gossip.any()
	if w == nil {
		return fmt.Errorf("tell: %w", errNoGossip)
	}
	select {
	case w.turn <- struct{}{}:
		defer func() { <-w.turn }()
	case <-ctx.Done():
		return fmt.Errorf("tell: %w", ctx.Err())
	}
	err := w.telling.PublishWithContext(ctx, b.settings.Exchange+gossipSuffix, topic, false, false,
		amqp.Publishing{ContentType: jsonContent, DeliveryMode: amqp.Transient, Body: message})
	if err != nil {
		return fmt.Errorf("tell: %w: %w", hotswap.ErrUnavailable, err)
	}
	return nil
}

// Hear calls f with each message of topic from the caller's goroutine, until ctx
// ends or the Bus is closed. It connects, and connects again after every loss,
// by itself. Its losses are not logged: the log's own connection tells that the
// broker is away.
func (b *Bus) Hear(ctx context.Context, topic string, f func(message []byte)) error {
	running, stop := context.WithCancel(ctx)
	defer stop()
	defer context.AfterFunc(b.life, stop)()
	pauses := backoff{min: b.settings.BackoffMin, max: b.settings.BackoffMax}
	for attempt := 0; running.Err() == nil; attempt++ {
		if b.hearOnce(running, b.brokers[attempt%len(b.brokers)], topic, f) {
			pauses.reset()
		}
		sleep(running, pauses.pause())
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return ErrClosed
}

// hearOnce reads over one connection until it ends, and reports whether there
// was one.
func (b *Bus) hearOnce(ctx context.Context, broker broker, topic string, f func([]byte)) (heard bool) {
	w, err := openWhisper(ctx, broker, b.settings, topic)
	if err != nil {
		return false
	}
	defer w.link.close()
	b.gossip.add(w)
	defer b.gossip.remove(w)
	for {
		select {
		case <-ctx.Done():
			return true
		case <-w.closed:
			return true
		case <-w.tellClosed:
			return true
		case d, open := <-w.deliveries:
			if !open {
				return true
			}
			f(d.Body)
		}
	}
}

func openWhisper(ctx context.Context, b broker, s Settings, topic string) (*whisper, error) {
	l, err := dial(ctx, b, s, s.ID+" gossip")
	if err != nil {
		return nil, err
	}
	w := &whisper{link: l, turn: make(chan struct{}, 1)}
	if err := w.setUp(ctx, s, topic); err != nil {
		l.close()
		return nil, err
	}
	return w, nil
}

// setUp ends early with ctx.
func (w *whisper) setUp(ctx context.Context, s Settings, topic string) (err error) {
	defer context.AfterFunc(ctx, w.link.cut)()
	if w.telling, err = w.link.channel(); err != nil {
		return err
	}
	w.tellClosed = w.telling.NotifyClose(make(chan *amqp.Error, 1))
	if w.reading, err = w.link.channel(); err != nil {
		return err
	}
	w.closed = w.reading.NotifyClose(make(chan *amqp.Error, 1))
	return w.link.step("hear gossip", func() error { return w.consume(s.Exchange+gossipSuffix, topic) })
}

func (w *whisper) consume(exchange, topic string) error {
	declared := w.reading.ExchangeDeclare(exchange, amqp.ExchangeDirect, true, false, false, false, nil)
	queue, err := w.reading.QueueDeclare("", false, true, true, false, amqp.Table{
		amqp.QueueMaxLenArg: gossipUnheard, amqp.QueueOverflowArg: amqp.QueueOverflowDropHead, amqp.QueueMessageTTLArg: gossipTTL,
	})
	if err := errors.Join(declared, err); err != nil {
		return err
	}
	if err := w.reading.QueueBind(queue.Name, topic, exchange, false, nil); err != nil {
		return err
	}
	w.deliveries, err = w.reading.Consume(queue.Name, "", true, true, false, false, nil)
	return err
}

func (g *gossip) add(w *whisper) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.open = append(g.open, w)
}

func (g *gossip) remove(w *whisper) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.open = slices.DeleteFunc(g.open, func(other *whisper) bool { return other == w })
}

func (g *gossip) any() *whisper {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.open) == 0 {
		return nil
	}
	return g.open[0]
}
