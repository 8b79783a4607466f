package rabbitmq_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	amqp "github.com/rabbitmq/amqp091-go"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/bustest"
	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/rabbitmq"
	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/rabbitmq/brokertest"
)

// javaPeer does on the broker what an instance of the article's Java service
// does: it declares the exchange, and reads from a queue of its own.
type javaPeer struct {
	channel  *amqp.Channel
	exchange string
	inbox    <-chan amqp.Delivery
}

func newJavaPeer(t *testing.T, l *busLog) *javaPeer {
	t.Helper()
	conn, err := amqp.Dial(brokertest.URL(l.broker))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	ch, err := conn.Channel()
	if err != nil {
		t.Fatal(err)
	}
	p := &javaPeer{channel: ch, exchange: l.settings.Exchange}
	if err := ch.ExchangeDeclare(p.exchange, "topic", true, false, false, false, nil); err != nil {
		t.Fatal(err)
	}
	queue, err := ch.QueueDeclare("", false, true, true, false, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := ch.QueueBind(queue.Name, "#", p.exchange, false, nil); err != nil {
		t.Fatal(err)
	}
	if p.inbox, err = ch.Consume(queue.Name, "peer", true, true, false, false, nil); err != nil {
		t.Fatal(err)
	}
	return p
}

// send sends a golden message of a Java peer.
func (p *javaPeer) send(t *testing.T, name string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name+".message"))
	if err != nil {
		t.Fatal(err)
	}
	_, body, _ := strings.Cut(string(text), "\n\n")
	p.sendBody(t, "application/json", []byte(body))
}

func (p *javaPeer) sendBody(t *testing.T, contentType string, body []byte) {
	t.Helper()
	err := p.channel.PublishWithContext(context.Background(), p.exchange, "springCloudBus", false, false, amqp.Publishing{
		ContentType: contentType, DeliveryMode: amqp.Persistent,
		MessageId: "3f9d0f4e-5c0a-4b9e-9f64-5a1f2f6a7c10", Timestamp: time.Unix(1700000000, 0), Body: body,
	})
	if err != nil {
		t.Fatal(err)
	}
}

func (p *javaPeer) receive(t *testing.T) amqp.Delivery {
	t.Helper()
	select {
	case d := <-p.inbox:
		return d
	case <-time.After(bustest.Patience):
		t.Fatal("the Java peer received nothing")
		return amqp.Delivery{}
	}
}

func testJavaPeer(t *testing.T, l *busLog) {
	peer := newJavaPeer(t, l)
	s := bustest.Join(t, l.connect)
	s.AwaitLive(t)

	for _, name := range []string{"java-ack", "java-refresh", "java-switch", "java-custom", "java-switch-for-others", "java-switch"} {
		peer.send(t, name)
		peer.receive(t)
	}
	entries := s.AwaitEntries(t, 2)
	if e := entries[0].Event; e.Target != "fallback" || e.After != nil || e.ID != "6f1c9a52-2b0b-4c39-9b5b-0d7f0a2f6a01" {
		t.Errorf("the switch of the Java peer arrived as %+v", e)
	}

	s.Publish(t, bustest.Event("go", 1))
	d := peer.receive(t)
	var body map[string]any
	if err := json.Unmarshal(d.Body, &body); err != nil {
		t.Fatal(err)
	}
	if d.ContentType != "application/json" || d.DeliveryMode != 2 || d.Priority != 0 || d.MessageId == "" || d.Timestamp.IsZero() {
		t.Errorf("properties: %+v", d)
	}
	if body["type"] != "AdapterSwitchEvent" || body["targetAdapter"] != "fallback" || body["destinationService"] != "**" {
		t.Errorf("body: %s", d.Body)
	}
}

// Markers go to the log alone, and are no entries.
func testMarker(t *testing.T, l *busLog) {
	peer := newJavaPeer(t, l)
	for range 3 {
		s := bustest.Join(t, l.connect)
		s.AwaitLive(t)
		if n := len(s.Last().Entries); n != 0 {
			t.Errorf("%d entries, want none", n)
		}
		s.Leave(t)
	}
	s := bustest.Join(t, l.connect)
	s.AwaitLive(t)
	s.Publish(t, bustest.Event("go", 1))
	if d := peer.receive(t); d.ContentType != "application/json" {
		t.Errorf("the peer received a marker: %+v", d)
	}
	if p := s.AwaitEntries(t, 1)[0].Position; p != 5 {
		t.Errorf("the entry is at %d, want 5, after four markers", p)
	}
}

// A bad message is logged once, counted, dropped, and the next one handled.
func testMalformed(t *testing.T, l *busLog) {
	peer := newJavaPeer(t, l)
	s := bustest.Join(t, l.connect)
	s.AwaitLive(t)
	for range 3 {
		peer.sendBody(t, "application/json", []byte(`{"type":`))
		peer.sendBody(t, "application/json", []byte(`{"type":"AdapterSwitchEvent","originService":"evil:1:x"}`))
		peer.sendBody(t, "text/plain", []byte("hello"))
		peer.sendBody(t, "application/json", make([]byte, 1<<20))
	}
	peer.send(t, "java-switch")
	s.AwaitEntries(t, 1)
	if n := strings.Count(l.lines.String(), "malformed message dropped"); n != 4 {
		t.Errorf("%d lines about malformed messages, want 4:\n%s", n, l.lines)
	}
	stats := s.Bus.(interface{ Stats() rabbitmq.Stats }).Stats()
	if stats.Malformed != 12 || stats.Entries != 1 {
		t.Errorf("stats: %+v, want 12 malformed, 1 entry", stats)
	}
}
