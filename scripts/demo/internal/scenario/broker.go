package scenario

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"time"

	amqp "github.com/rabbitmq/amqp091-go"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/rabbitmq"
	"github.com/adapter-hotswap/adapter-hotswap-go/services/hotswap/composition"
)

// broker are the wires of a real broker: an exchange and a stream that live as
// long as the stage, so that no history plays along, and a tunnel to each
// instance.
type broker struct {
	url     *url.URL
	name    string // of the exchange; the stream adds ".log"
	tunnels []*tunnel
}

// stepBound is how long a step at the broker may take.
const stepBound = 10 * time.Second

// ErrBroker is matched when the broker at Options.AMQP can't be used.
var ErrBroker = errors.New("can't play on the broker")

func newBroker(ctx context.Context, address string, instances int) (*broker, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "amqp" || u.Host == "" || strings.Contains(address, ",") {
		return nil, fmt.Errorf("%w: -amqp must be one URL such as amqp://user:password@localhost:5672/, not amqps, so that wires can be cut", ErrBroker)
	}
	if u.Port() == "" {
		u.Host = net.JoinHostPort(u.Hostname(), "5672")
	}
	b := &broker{url: u, name: "demo-" + strings.ToLower(rand.Text()[:8])}
	if err := b.do(func(*amqp.Channel) error { return nil }); err != nil {
		return nil, err
	}
	for range instances {
		t, err := newTunnel(ctx, u.Host)
		if err != nil {
			return nil, errors.Join(err, b.close())
		}
		b.tunnels = append(b.tunnels, t)
	}
	return b, nil
}

func (b *broker) stream() string                  { return b.name + ".log" }
func (b *broker) connect(int) composition.Connect { return composition.RabbitMQ }
func (b *broker) cut(i int)                       { b.tunnels[i].cut() }
func (b *broker) mend(i int)                      { b.tunnels[i].mend() }

func (b *broker) settings(i int) settings {
	through := *b.url
	through.Host = b.tunnels[i].address()
	return settings{"AMQP_URL": through.String(), "AMQP_EXCHANGE": b.name, "AMQP_STREAM": b.stream()}
}

func (b *broker) audit(ctx context.Context) (audit, error) {
	bus, err := rabbitmq.New(rabbitmq.Settings{URLs: []string{b.url.String()}, ID: rabbitmq.NewID("scenario", "audit"),
		Exchange: b.name, Stream: b.stream()})
	if err != nil {
		return audit{}, fmt.Errorf("%w: %w", ErrBroker, err)
	}
	ctx, cancel := context.WithTimeout(ctx, stepBound)
	defer cancel()
	a, err := auditOf(ctx, bus)
	return a, errors.Join(err, bus.Close())
}

// close deletes what the stage made.
func (b *broker) close() error {
	for _, t := range b.tunnels {
		t.close()
	}
	return b.do(func(channel *amqp.Channel) error {
		if _, err := channel.QueueDelete(b.stream(), false, false, false); err != nil {
			return err
		}
		for _, exchange := range []string{b.name, b.name + ".gossip"} {
			if err := channel.ExchangeDelete(exchange, false, false); err != nil {
				return err
			}
		}
		return nil
	})
}

// do runs f on a connection of its own.
func (b *broker) do(f func(*amqp.Channel) error) error {
	conn, err := amqp.DialConfig(b.url.String(), amqp.Config{Dial: amqp.DefaultDial(stepBound)})
	if err != nil {
		return fmt.Errorf("%w: %w", ErrBroker, err)
	}
	defer conn.CloseDeadline(time.Now().Add(stepBound))
	channel, err := conn.Channel()
	if err == nil {
		err = f(channel)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrBroker, err)
	}
	return nil
}
