package rabbitmq

import (
	"context"
	"fmt"
	"sync/atomic"

	amqp "github.com/rabbitmq/amqp091-go"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/hotswap"
)

// publisher sends messages on its own connection: a broker that is short of
// memory or disk stops reading from a connection that publishes, and reading the
// log must go on.
type publisher struct {
	link    *link
	ch      *amqp.Channel
	closed  <-chan *amqp.Error
	returns <-chan amqp.Return
	blocked atomic.Bool
	// turn is held by the one publish under way.
	turn chan struct{}
}

func newPublisher(l *link, ch *amqp.Channel) (*publisher, error) {
	if err := l.step("ask for confirms", func() error { return ch.Confirm(false) }); err != nil {
		return nil, err
	}
	p := &publisher{
		link: l,
		ch:   ch,
		// One publish at a time makes at most one return, and each publish drains
		// what an earlier one, given up by its caller, has left.
		returns: ch.NotifyReturn(make(chan amqp.Return, 16)),
		closed:  ch.NotifyClose(make(chan *amqp.Error, 1)),
		turn:    make(chan struct{}, 1),
	}
	go p.watchBlocked(l.NotifyBlocked(make(chan amqp.Blocking, 1)))
	return p, nil
}

// watchBlocked ends with the connection.
func (p *publisher) watchBlocked(changes <-chan amqp.Blocking) {
	for change := range changes {
		p.blocked.Store(change.Active)
	}
}

// publish sends m to the exchange and waits until the broker has confirmed that
// a queue holds it.
func (p *publisher) publish(ctx context.Context, exchange string, m amqp.Publishing) error {
	select {
	case p.turn <- struct{}{}:
		defer func() { <-p.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if p.blocked.Load() {
		return fmt.Errorf("%w: the broker is short of memory or disk and blocks publishing", hotswap.ErrUnavailable)
	}
	p.wasReturned("")
	confirmation, err := p.send(ctx, exchange, exchange, true, m)
	if err != nil {
		return fmt.Errorf("%w: %w", hotswap.ErrUnavailable, err)
	}
	acked, err := confirmation.WaitContext(ctx)
	switch {
	case err != nil:
		return fmt.Errorf("no confirmation yet: %w", err)
	case !acked:
		return fmt.Errorf("%w: no confirmation", hotswap.ErrUnavailable)
	case p.wasReturned(m.MessageId):
		return fmt.Errorf("%w: the log is missing", hotswap.ErrUnavailable)
	}
	return nil
}

// send hands m to the connection.
func (p *publisher) send(ctx context.Context, exchange, key string, mandatory bool, m amqp.Publishing) (*amqp.DeferredConfirmation, error) {
	confirmation, err := p.ch.PublishWithDeferredConfirmWithContext(ctx, exchange, key, mandatory, false, m)
	if err == nil && confirmation == nil {
		err = fmt.Errorf("the channel does not confirm")
	}
	return confirmation, err
}

// wasReturned empties the channel of returns and reports whether messageID is
// among them. The broker sends a return before the confirmation.
func (p *publisher) wasReturned(messageID string) bool {
	found := false
	for {
		select {
		case r, open := <-p.returns:
			if !open {
				return found
			}
			found = found || r.MessageId == messageID
		default:
			return found
		}
	}
}
