package rabbitmq

import (
	"context"
	"sync"

	amqp "github.com/rabbitmq/amqp091-go"
)

// prefetch is how many deliveries may be under way. A stream requires a limit.
const prefetch = 500

// offsetKey is the argument that says where to begin in a stream, and the header
// that says where a delivery stands.
const offsetKey = "x-stream-offset"

// session is the time from one successful connection to its loss.
type session struct {
	settings   Settings
	consume    *link
	publisher  *publisher
	channel    *amqp.Channel
	closed     <-chan *amqp.Error
	cancelled  <-chan string
	deliveries <-chan amqp.Delivery
	closeOnce  sync.Once
}

// connect opens both connections to one broker, declares what is missing and
// starts to consume the stream from its first entry.
func connect(ctx context.Context, b broker, s Settings) (*session, error) {
	consume, err := dial(ctx, b, s, s.ID+" reading")
	if err != nil {
		return nil, err
	}
	publish, err := dial(ctx, b, s, s.ID+" publishing")
	if err != nil {
		consume.close()
		return nil, err
	}
	session := &session{settings: s, consume: consume, publisher: &publisher{link: publish}}
	if err := session.setUp(ctx); err != nil {
		session.close()
		return nil, err
	}
	return session, nil
}

// setUp ends early with ctx.
func (s *session) setUp(ctx context.Context) error {
	publish := s.publisher.link
	defer context.AfterFunc(ctx, func() { publish.cut(); s.consume.cut() })()

	ch, err := publish.channel()
	if err != nil {
		return err
	}
	if err := declare(publish, ch, s.settings); err != nil {
		return err
	}
	if s.publisher, err = newPublisher(publish, ch); err != nil {
		s.publisher = &publisher{link: publish}
		return err
	}
	return s.startConsuming()
}

func (s *session) startConsuming() (err error) {
	if s.channel, err = s.consume.channel(); err != nil {
		return err
	}
	s.closed = s.channel.NotifyClose(make(chan *amqp.Error, 1))
	s.cancelled = s.channel.NotifyCancel(make(chan string, 1))
	return s.consume.step("consume stream", func() (err error) {
		if err := s.channel.Qos(prefetch, 0, false); err != nil {
			return err
		}
		s.deliveries, err = s.channel.Consume(s.settings.Stream, "", false, false, false, false,
			amqp.Table{offsetKey: "first"})
		return err
	})
}

// close ends both connections side by side. It may be called again, and while
// the session runs.
func (s *session) close() {
	s.closeOnce.Do(func() {
		var closing sync.WaitGroup
		closing.Go(s.consume.close)
		closing.Go(s.publisher.link.close)
		closing.Wait()
	})
}
