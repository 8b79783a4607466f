package rabbitmq

import (
	"context"
	"errors"
	"fmt"
	"time"

	amqp "github.com/rabbitmq/amqp091-go"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/hotswap"
)

// errSilent says that the broker neither delivers entries nor the marker.
var errSilent = errors.New("the end of the log was not found")

// reader tells a subscriber what a session delivers.
type reader struct {
	session *session
	bus     *Bus
	sub     hotswap.Subscriber
	marker  string
	live    bool
	// unacked deliveries end with the one that has this tag.
	unacked int
	tag     uint64
}

// Acks give the broker leave to deliver more, and an old delivery without one
// costs the channel. They are sent in batches: each one makes the broker work
// while it could be delivering to others.
const (
	ackEvery    = prefetch / 4
	ackInterval = time.Second
)

// run brings the past, then what is new, until the session or ctx ends. It
// returns why.
func (r *reader) run(ctx context.Context) error {
	s := r.session
	r.sub.Begin()
	if err := r.sendMarker(ctx); err != nil {
		return err
	}
	silence := time.NewTimer(s.settings.StepTimeout)
	defer silence.Stop()
	acks := time.NewTicker(ackInterval)
	defer acks.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case err := <-s.closed:
			return closedError("reading", err)
		case err := <-s.publisher.closed:
			return closedError("publishing", err)
		case <-s.cancelled:
			return errors.New("the broker cancelled the reading: the stream was deleted or its node left")
		case <-silence.C:
			if err := r.endSilence(); err != nil {
				return err
			}
		case <-acks.C:
			if err := r.ack(); err != nil {
				return err
			}
		case d, open := <-s.deliveries:
			if !open {
				return closedError("reading", <-s.closed)
			}
			silence.Reset(s.settings.StepTimeout)
			if err := r.deliver(d); err != nil {
				return err
			}
		}
	}
}

// deliver takes one message of the stream.
func (r *reader) deliver(d amqp.Delivery) error {
	offset, ok := d.Headers[offsetKey].(int64)
	if !ok {
		return fmt.Errorf("queue %q is no stream: a message without an offset", r.session.settings.Stream)
	}
	switch {
	case !isMarker(d):
		r.entry(hotswap.Position(offset)+1, d)
	case d.MessageId == r.marker:
		r.caughtUp()
	}
	if r.tag, r.unacked = d.DeliveryTag, r.unacked+1; r.unacked < ackEvery {
		return nil
	}
	return r.ack()
}

func (r *reader) ack() error {
	if r.unacked == 0 {
		return nil
	}
	r.unacked = 0
	return r.session.channel.Ack(r.tag, true)
}

// entry brings a message to the subscriber, unless it is none of its business.
func (r *reader) entry(p hotswap.Position, d amqp.Delivery) {
	event, err := decode(d.ContentType, d.Body, r.session.settings.ID)
	var bad *malformed
	switch {
	case err == nil:
		r.bus.counters.entries.Add(1)
		r.sub.Entry(p, event)
	case errors.As(err, &bad):
		r.bus.counters.malformed.Add(1)
		r.bus.malformed.report(p, bad)
	default:
		r.bus.counters.ignored.Add(1)
	}
}

func (r *reader) caughtUp() {
	if !r.live {
		r.live = true
		r.bus.connected(r.session)
		r.sub.CaughtUp()
	}
}

// endSilence decides what it means that nothing was delivered for a while. A
// broker that blocks publishing takes no marker, nor anything else: what it has
// delivered is all that there is.
func (r *reader) endSilence() error {
	switch {
	case r.live:
		return nil
	case r.session.publisher.blocked.Load():
		r.caughtUp()
		return nil
	default:
		return errSilent
	}
}

func closedError(what string, err *amqp.Error) error {
	if err == nil {
		return fmt.Errorf("connection for %s closed", what)
	}
	return fmt.Errorf("connection for %s closed: %w", what, err)
}
