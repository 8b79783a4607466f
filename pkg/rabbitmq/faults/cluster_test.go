package faults

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/bustest"
	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/hotswap"
	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/rabbitmq"
	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/rabbitmq/brokertest"
)

// The adapters, preferred first.
const (
	primary  = "primary"
	fallback = "fallback"
	spare    = "spare"
)

// patience bounds every wait. Nothing here is judged by its speed.
const patience = 2 * time.Minute

// port is the port that the instances guard.
type port func(context.Context) (string, error)

// cluster is three instances of a service, each with proxies of its own on the
// way to the broker.
type cluster struct {
	t        testing.TB
	ports    []int // of the broker's nodes
	settings rabbitmq.Settings
	down     atomic.Bool // the primary fails
	members  []*member
	log      *logBuffer
}

var clusters atomic.Int64

// newCluster starts the instances on an exchange and a stream of their own. tune
// may change the settings of the bus.
func newCluster(t testing.TB, broker brokertest.Broker, tune func(*rabbitmq.Settings)) *cluster {
	t.Helper()
	return newClusterOn(t, []int{broker.Port()}, tune)
}

// newClusterOn is newCluster for a broker of several nodes.
func newClusterOn(t testing.TB, ports []int, tune func(*rabbitmq.Settings)) *cluster {
	t.Helper()
	n := clusters.Add(1)
	c := &cluster{t: t, ports: ports, log: &logBuffer{t: t}, settings: rabbitmq.Settings{
		Exchange:    fmt.Sprintf("faults%d.exchange", n),
		Stream:      fmt.Sprintf("faults%d.log", n),
		Heartbeat:   2 * time.Second,
		StepTimeout: 5 * time.Second,
		BackoffMin:  50 * time.Millisecond,
		BackoffMax:  time.Second,
	}}
	if tune != nil {
		tune(&c.settings)
	}
	t.Cleanup(func() { c.close(); c.log.checkSecrets() })
	for range 3 {
		var proxies []*brokertest.Proxy
		for _, port := range ports {
			proxies = append(proxies, brokertest.NewProxy(t, port))
		}
		c.members = append(c.members, c.start(proxies))
	}
	return c
}

// member is one instance.
type member struct {
	*hotswap.Instance[port]
	bus     *audited
	proxies []*brokertest.Proxy // one for each node of the broker
	proxy   *brokertest.Proxy   // the first

	mu    sync.Mutex
	moves []hotswap.Switched
}

func (c *cluster) start(proxies []*brokertest.Proxy) *member {
	c.t.Helper()
	m := &member{proxies: proxies, proxy: proxies[0]}
	settings := c.settings
	for i := range proxies {
		// Each instance prefers another node.
		settings.URLs = append(settings.URLs, proxies[(i+len(c.members))%len(proxies)].URL())
	}
	settings.ID = rabbitmq.NewID("faults", fmt.Sprint(len(c.members)))
	settings.Logger = c.log.logger()
	bus, err := rabbitmq.New(settings)
	if err != nil {
		c.t.Fatal(err)
	}
	m.bus = &audited{Bus: bus, confirmed: map[string]bool{}}
	m.Instance, err = hotswap.New[port](m.bus, hotswap.Settings{
		ID:            settings.ID,
		ProbeInterval: 300 * time.Millisecond,
		ReplayWait:    time.Second,
		Observers:     []hotswap.Observer{m},
	}, c.adapters()...)
	if err != nil {
		c.t.Fatal(err)
	}
	return m
}

func (c *cluster) adapters() []hotswap.Adapter[port] {
	ask := func(context.Context) error {
		if c.down.Load() {
			return hotswap.Failure("error", errDown)
		}
		return nil
	}
	answer := func(name string) port { return func(context.Context) (string, error) { return name, nil } }
	return []hotswap.Adapter[port]{
		{Name: primary, Probe: ask, Port: func(ctx context.Context) (string, error) { return primary, ask(ctx) }},
		{Name: fallback, Port: answer(fallback)},
		{Name: spare, Port: answer(spare)},
	}
}

// Observe implements hotswap.Observer.
func (m *member) Observe(o hotswap.Observation) {
	if s, ok := o.(hotswap.Switched); ok {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.moves = append(m.moves, s)
	}
}

// movedTo counts the moves to an adapter.
func (m *member) movedTo(adapter string) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := 0
	for _, move := range m.moves {
		if move.To == adapter {
			n++
		}
	}
	return n
}

func (m *member) connected() bool { return m.Status().Connected }
func (m *member) active() string  { return m.Status().Active }

// call makes one request and fails the test if it fails.
func (m *member) call(t testing.TB) string {
	t.Helper()
	answer, err := hotswap.Call(context.Background(), m.Instance, hotswap.Repeatable,
		func(ctx context.Context, p port) (string, error) { return p(ctx) })
	if err != nil {
		t.Errorf("a request failed: %v", err)
	}
	return answer
}

func (m *member) decide(t testing.TB, target string) {
	t.Helper()
	if err := m.Switch(target, false); err != nil {
		t.Errorf("switch to %s: %v", target, err)
	}
}

// close ends an instance and then its bus.
func (m *member) close(t testing.TB) {
	t.Helper()
	began := time.Now()
	if err := m.Close(); err != nil {
		t.Errorf("close the instance: %v", err)
	}
	if err := m.bus.Close(); err != nil {
		t.Errorf("close the bus: %v", err)
	}
	if took := time.Since(began); took > 3*time.Second {
		t.Errorf("closing took %s, more than 3 s", took)
	}
}

func (c *cluster) close() {
	for _, m := range c.members {
		m.close(c.t)
	}
	c.members = nil
}

// each runs f for every member.
func (c *cluster) each(f func(*member)) {
	for _, m := range c.members {
		f(m)
	}
}

// await waits until ok.
func (c *cluster) await(what string, ok func() bool) {
	c.t.Helper()
	deadline := time.Now().Add(patience)
	for !ok() {
		if time.Now().After(deadline) {
			c.t.Fatalf("waited in vain for %s; members: %s", what, c.summary())
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// awaitAll waits until ok holds for every member.
func (c *cluster) awaitAll(what string, ok func(*member) bool) {
	c.t.Helper()
	c.await(what, func() bool {
		for _, m := range c.members {
			if !ok(m) {
				return false
			}
		}
		return true
	})
}

func (c *cluster) awaitConnected() { c.t.Helper(); c.awaitAll("connections", (*member).connected) }

// awaitOn waits until every member is on adapter.
func (c *cluster) awaitOn(adapter string) {
	c.t.Helper()
	c.awaitAll("everybody on "+adapter, func(m *member) bool { return m.active() == adapter })
}

func (c *cluster) summary() (s string) {
	for i, m := range c.members {
		status := m.Status()
		s += fmt.Sprintf("\n%d: on %s, connected %t, pending %t, log at %d: %s", i,
			status.Active, status.Connected, status.Pending, status.Log.Position, status.Log.Adapter)
	}
	return s
}

// read reads the whole log by a connection of its own.
func (c *cluster) read() []bustest.Entry {
	c.t.Helper()
	settings := c.settings
	for _, port := range c.ports {
		settings.URLs = append(settings.URLs, brokertest.URLAt(port))
	}
	settings.ID = rabbitmq.NewID("auditor", "0")
	bus, err := rabbitmq.New(settings)
	if err != nil {
		c.t.Fatal(err)
	}
	s := bustest.Subscribe(c.t, bustest.Member{Bus: bus}, &bustest.Recorder{})
	s.AwaitLive(c.t)
	s.Leave(c.t)
	return s.Last().Entries
}
