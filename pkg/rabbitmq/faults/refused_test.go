package faults

import (
	"strings"
	"testing"
	"time"

	amqp "github.com/rabbitmq/amqp091-go"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/rabbitmq"
	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/rabbitmq/brokertest"
)

// refusal checks a cluster that the broker refuses: requests are answered, one
// line of each member has every one of texts, and nobody hammers the broker.
func refusal(c *cluster, texts ...string) {
	c.t.Helper()
	const attempts = 4
	stop := c.requests()
	defer stop()
	c.await("the refusals", func() bool { return c.log.count("bus refused") == len(c.members) })
	for _, text := range texts {
		if n := c.log.count(text); n != len(c.members) {
			c.t.Errorf("%d lines have %q, want one of each member", n, text)
		}
	}
	began, accepted := time.Now(), c.members[0].proxy.Accepted()
	c.await("further attempts", func() bool { return c.members[0].proxy.Accepted() >= accepted+attempts })
	// An attempt makes at most two connections, and a pause is half of BackoffMax
	// at least.
	if took := time.Since(began); took < (attempts/2-1)*c.settings.BackoffMax/2 {
		c.t.Errorf("%d connections within %s: that is no slow retry", attempts, took)
	}
	c.down.Store(true)
	c.each(func(m *member) { m.call(c.t) })
	c.awaitOn(fallback)
	if n := c.log.count("bus refused"); n != len(c.members) {
		c.t.Errorf("%d lines say that the bus is refused, want one of each member", n)
	}
}

func otherExchange(t *testing.T, broker brokertest.Broker) {
	const name = "faults.other"
	ch := channel(t, broker)
	if err := ch.ExchangeDeclare(name, "fanout", true, false, false, false, nil); err != nil {
		t.Fatal(err)
	}
	c := newCluster(t, broker, func(s *rabbitmq.Settings) { s.Exchange = name })
	refusal(c, "inequivalent arg 'type' for exchange '"+name+"'")
	if err := ch.ExchangeDelete(name, false, false); err != nil {
		t.Fatal(err)
	}
	c.awaitConnected()
	c.settle()
}

func otherQueue(t *testing.T, broker brokertest.Broker) {
	const name = "faults.other"
	ch := channel(t, broker)
	if _, err := ch.QueueDeclare(name, true, false, false, false, amqp.Table{"x-max-length": 100}); err != nil {
		t.Fatal(err)
	}
	c := newCluster(t, broker, func(s *rabbitmq.Settings) { s.Stream = name })
	refusal(c, "inequivalent arg 'x-", "for queue '"+name+"'")
	if _, err := ch.QueueDelete(name, false, false, false); err != nil {
		t.Fatal(err)
	}
	c.awaitConnected()
	c.settle()
}

func wrongPassword(t *testing.T, broker brokertest.Broker) {
	broker.Ctl(t, "change_password", brokertest.User, "another")
	restore := func() { broker.Ctl(t, "change_password", brokertest.User, brokertest.Password) }
	t.Cleanup(restore)
	c := newCluster(t, broker, nil)
	refusal(c, "ACCESS_REFUSED")
	restore()
	c.awaitConnected()
	c.settle()
}

func unknownVhost(t *testing.T, broker brokertest.Broker) {
	broker.Ctl(t, "delete_vhost", "/")
	restore := func() {
		broker.Ctl(t, "add_vhost", "/")
		broker.Ctl(t, "set_permissions", "-p", "/", brokertest.User, ".*", ".*", ".*")
	}
	c := newCluster(t, broker, nil)
	refusal(c, "vhost / not found")
	restore()
	c.awaitConnected()
	c.settle()
}

// channel opens a channel as an operator would.
func channel(t *testing.T, broker brokertest.Broker) *amqp.Channel {
	t.Helper()
	conn, err := amqp.Dial(brokertest.URL(broker))
	if err != nil {
		t.Fatal(strings.ReplaceAll(err.Error(), brokertest.Password, "xxxxx"))
	}
	t.Cleanup(func() { conn.Close() })
	ch, err := conn.Channel()
	if err != nil {
		t.Fatal(err)
	}
	return ch
}
