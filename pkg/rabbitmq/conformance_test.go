package rabbitmq_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/bustest"
	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/rabbitmq"
	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/rabbitmq/brokertest"
)

// TestBus is what a healthy broker shows; package faults breaks it.
func TestBus(t *testing.T) {
	for _, kind := range brokertest.Kinds() {
		t.Run(kind.Name, func(t *testing.T) {
			broker := kind.New(t)
			broker.Start(t)
			t.Run("Conformance", func(t *testing.T) {
				bustest.Run(t, func(t testing.TB) bustest.Connect { return newLog(broker).connect })
			})
			t.Run("JavaPeer", func(t *testing.T) { testJavaPeer(t, newLog(broker)) })
			t.Run("MarkerReachesNoPeer", func(t *testing.T) { testMarker(t, newLog(broker)) })
			t.Run("MalformedMessages", func(t *testing.T) { testMalformed(t, newLog(broker)) })
			t.Run("Retention", func(t *testing.T) { testRetention(t, newLog(broker)) })
			t.Run("Returned", func(t *testing.T) { testReturned(t, newLog(broker)) })
			t.Run("SecondURL", func(t *testing.T) { testSecondURL(t, newLog(broker)) })
			t.Run("TLS", func(t *testing.T) { testTLS(t, newLog(broker)) })
			t.Run("OneSubscription", func(t *testing.T) { testOneSubscription(t, newLog(broker)) })
		})
	}
}

// busLog is an exchange and a stream that no other test uses.
type busLog struct {
	broker   brokertest.Broker
	settings rabbitmq.Settings
	lines    *lineBuffer
}

var logs atomic.Int64

func newLog(broker brokertest.Broker) *busLog {
	n, lines := logs.Add(1), &lineBuffer{}
	return &busLog{broker: broker, lines: lines, settings: rabbitmq.Settings{
		Exchange:   fmt.Sprintf("test%d.exchange", n),
		Stream:     fmt.Sprintf("test%d.log", n),
		BackoffMin: 20 * time.Millisecond,
		BackoffMax: 200 * time.Millisecond,
		Logger:     slog.New(slog.NewTextHandler(lines, nil)),
	}}
}

// connect makes a member behind a proxy of its own.
func (l *busLog) connect(t testing.TB) bustest.Member {
	t.Helper()
	proxy := brokertest.NewProxy(t, l.broker.Port())
	return bustest.Member{Bus: l.bus(t, proxy.URL()), Cut: proxy.Cut, Freeze: proxy.Freeze, Mend: proxy.Mend}
}

func (l *busLog) bus(t testing.TB, urls ...string) *rabbitmq.Bus {
	t.Helper()
	settings := l.settings
	settings.URLs, settings.ID = urls, rabbitmq.NewID("suite", "0")
	bus, err := rabbitmq.New(settings)
	if err != nil {
		t.Fatal(err)
	}
	return bus
}

// lineBuffer is a log that several instances write to.
type lineBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lineBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lineBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
