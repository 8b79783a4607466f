package rabbitmq

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"time"

	amqp "github.com/rabbitmq/amqp091-go"
)

// closeTimeout is how long a broker may take to answer a close. One that blocks
// publishers, or is frozen, never does.
const closeTimeout = time.Second

// link is one AMQP connection that can be given up at any moment, whatever the
// broker does: all of its waits end when the socket below it is closed.
type link struct {
	*amqp.Connection
	socket  *socket
	timeout time.Duration
}

// socket is a TCP connection whose writes end. The client library looks at a
// context only before it writes.
type socket struct {
	net.Conn
	timeout time.Duration
}

func (s *socket) Write(p []byte) (int, error) {
	if err := s.SetWriteDeadline(time.Now().Add(s.timeout)); err != nil {
		return 0, err
	}
	return s.Conn.Write(p)
}

// dial connects and logs in. Name is what the broker's list of connections shows.
func dial(ctx context.Context, b broker, s Settings, name string) (*link, error) {
	addr := net.JoinHostPort(b.uri.Host, strconv.Itoa(b.uri.Port))
	dialer := net.Dialer{Timeout: s.StepTimeout}
	conn, err := dialer.DialContext(ctx, "tcp", addr)
	if err != nil {
		return nil, err
	}
	l := &link{socket: &socket{conn, s.StepTimeout}, timeout: s.StepTimeout}
	defer context.AfterFunc(ctx, l.cut)()
	properties, auth := login(b.uri, name)
	err = l.step("log in at "+addr, func() error {
		conn, err := b.secure(ctx, l.socket)
		if err != nil {
			return err
		}
		line := &attentive{Conn: conn}
		l.Connection, err = amqp.DialConfig(b.url, amqp.Config{
			Dial:       func(string, string) (net.Conn, error) { return line, nil },
			Heartbeat:  s.Heartbeat,
			Properties: properties,
			SASL:       auth,
		})
		return line.reason(honest(err))
	})
	if err != nil {
		l.cut()
		return nil, err
	}
	return l, nil
}

// step runs one call to the broker and cuts the link if it takes too long.
func (l *link) step(what string, call func() error) error {
	timer := time.AfterFunc(l.timeout, l.cut)
	err := call()
	if !timer.Stop() {
		return fmt.Errorf("%s: no answer within %s", what, l.timeout)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", what, explain(err))
	}
	return nil
}

// channel opens a channel.
func (l *link) channel() (ch *amqp.Channel, err error) {
	err = l.step("open channel", func() error {
		ch, err = l.Channel()
		return err
	})
	return ch, err
}

// cut ends the link at once and without a word to the broker.
func (l *link) cut() { _ = l.socket.Close() }

// close says goodbye, but does not wait for long.
func (l *link) close() {
	timer := time.AfterFunc(closeTimeout, l.cut)
	defer timer.Stop()
	_ = l.CloseDeadline(time.Now().Add(closeTimeout))
	l.cut()
}
