package faults

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"maps"
	"strings"
	"sync"
	"testing"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/hotswap"
	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/rabbitmq"
	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/rabbitmq/brokertest"
)

var errDown = errors.New("the primary is down")

// settle waits until the cluster has come to rest, and checks what must hold
// after every fault.
func (c *cluster) settle() {
	c.t.Helper()
	if !c.down.Load() {
		// Where the primary responds, the health checkers bring everybody back.
		c.awaitOn(primary)
	}
	c.await("one adapter for all", c.agreed)
	confirmed := map[string]bool{}
	c.each(func(m *member) { maps.Copy(confirmed, m.bus.ids()) })
	entries := c.read()
	var log hotswap.State
	held := map[string]bool{}
	for _, e := range entries {
		log, _ = hotswap.Fold(log, e.Position, e.Event)
		held[e.Event.ID] = true
	}
	if on := c.members[0].active(); log.Adapter != "" && on != log.Adapter {
		c.t.Errorf("everybody is on %s, the log has %s in force%s", on, log.Adapter, c.summary())
	}
	for id := range confirmed {
		if !held[id] {
			c.t.Errorf("the log has lost the confirmed event %s", id)
		}
	}
	failures := uint64(0)
	c.each(func(m *member) { failures += m.bus.Stats().PublishFailures })
	c.t.Logf("%d entries, %d events confirmed, %d publishes failed, everybody on %s",
		len(entries), len(confirmed), failures, c.members[0].active())
}

// agreed reports whether everybody has read the same log and has nothing more to
// say.
func (c *cluster) agreed() bool {
	first := c.members[0].Status()
	for _, m := range c.members {
		s := m.Status()
		if !s.Connected || s.Pending || s.Active != first.Active || s.Log.Position != first.Log.Position {
			return false
		}
		if s.Log.Adapter != "" && s.Log.Adapter != s.Active {
			return false
		}
	}
	return true
}

// audited is a bus that remembers which publishes were confirmed.
type audited struct {
	*rabbitmq.Bus
	mu        sync.Mutex
	confirmed map[string]bool
}

func (a *audited) Publish(ctx context.Context, e hotswap.AdapterSwitchEvent) error {
	err := a.Bus.Publish(ctx, e)
	if err == nil {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.confirmed[e.ID] = true
	}
	return err
}

func (a *audited) ids() map[string]bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return maps.Clone(a.confirmed)
}

// forget drops what was confirmed so far, because the log that held it is gone.
func (a *audited) forget() {
	a.mu.Lock()
	defer a.mu.Unlock()
	clear(a.confirmed)
}

// logBuffer keeps what the buses log.
type logBuffer struct {
	t  testing.TB
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logBuffer) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(l, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

// count counts the lines that contain text.
func (l *logBuffer) count(text string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := 0
	for line := range strings.Lines(l.b.String()) {
		if strings.Contains(line, text) {
			n++
		}
	}
	return n
}

func (l *logBuffer) checkSecrets() {
	if l.count(brokertest.Password) > 0 {
		l.t.Error("the password is in the log")
	}
	if l.t.Failed() {
		l.t.Logf("log of the buses:\n%s", l.b.String())
	}
}
