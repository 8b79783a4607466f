package hotswap_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/hotswap"
	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/membus"
)

// animal is the port of these tests.
type animal interface {
	Ask(context.Context) (string, error)
}

// ask is the operation of these tests.
func ask(ctx context.Context, a animal) (string, error) { return a.Ask(ctx) }

// upstream is an adapter whose behaviour a test changes while it runs.
type upstream struct {
	behaviour atomic.Pointer[behaviour]
	asked     atomic.Int64
	probed    atomic.Int64
}

type behaviour = func(context.Context) (string, error)

func newUpstream(b behaviour) *upstream {
	u := new(upstream)
	u.becomes(b)
	return u
}

func (u *upstream) becomes(b behaviour) { u.behaviour.Store(&b) }

func (u *upstream) Ask(ctx context.Context) (string, error) {
	u.asked.Add(1)
	return (*u.behaviour.Load())(ctx)
}

// Health answers as Ask does.
func (u *upstream) Health(ctx context.Context) error {
	u.probed.Add(1)
	_, err := (*u.behaviour.Load())(ctx)
	return err
}

func answers(s string) behaviour {
	return func(context.Context) (string, error) { return s, nil }
}

func fails(err error) behaviour {
	return func(context.Context) (string, error) { return "", err }
}

// hangs until its context ends.
func hangs(ctx context.Context) (string, error) {
	<-ctx.Done()
	return "", ctx.Err()
}

// takes answers after d, unless its context ends before.
func takes(d time.Duration, s string) behaviour {
	return func(ctx context.Context) (string, error) {
		select {
		case <-time.After(d):
			return s, nil
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
}

// deaf ignores its context and does as then says once gate is closed.
func deaf(gate <-chan struct{}, then behaviour) behaviour {
	return func(ctx context.Context) (string, error) {
		<-gate
		return then(ctx)
	}
}

var (
	errBroken = errors.New("broken")
	err500    = hotswap.Failure("error (HTTP 500)", errBroken)
	err404    = hotswap.Answer(errors.New("no such animal"))
)

// recorder is an observer that keeps everything.
type recorder struct {
	mu  sync.Mutex
	all []hotswap.Observation
}

func (r *recorder) Observe(o hotswap.Observation) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = append(r.all, o)
}

// observed returns the observations of one type, in their order.
func observed[O hotswap.Observation](r *recorder) []O {
	r.mu.Lock()
	defer r.mu.Unlock()
	var found []O
	for _, o := range r.all {
		if o, ok := o.(O); ok {
			found = append(found, o)
		}
	}
	return found
}

// member is one instance with its connection and what was observed of it.
type member struct {
	*hotswap.Instance[animal]
	conn *membus.Conn
	seen *recorder
}

// join adds a ready instance to the cluster of log, with primary and fallback.
// The test closes it at its end.
func join(t *testing.T, log *membus.Log, s hotswap.Settings, primary, fallback *upstream) *member {
	t.Helper()
	return joinWith(t, log, s,
		hotswap.Adapter[animal]{Name: "primary", Port: primary, Probe: primary.Health},
		hotswap.Adapter[animal]{Name: "fallback", Port: fallback, Probe: fallback.Health})
}

func joinWith(t *testing.T, log *membus.Log, s hotswap.Settings, adapters ...hotswap.Adapter[animal]) *member {
	t.Helper()
	m := &member{conn: log.Connect(), seen: new(recorder)}
	s.Observers = append(s.Observers, m.seen)
	in, err := hotswap.New(m.conn, s, adapters...)
	if err != nil {
		t.Fatal(err)
	}
	m.Instance = in
	t.Cleanup(func() { _ = in.Close() })
	<-in.Ready()
	return m
}

// joinUnseen is an instance that nobody observes, which spares itself some work.
func joinUnseen(t *testing.T, s hotswap.Settings, primary, fallback *upstream) *member {
	t.Helper()
	in, err := hotswap.New(membus.New().Connect(), s,
		hotswap.Adapter[animal]{Name: "primary", Port: primary, Probe: primary.Health},
		hotswap.Adapter[animal]{Name: "fallback", Port: fallback, Probe: fallback.Health})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = in.Close() })
	<-in.Ready()
	return &member{Instance: in}
}

// call is a repeatable call; must fails the test unless the answer is want.
func (m *member) call(ctx context.Context) (string, error) {
	return hotswap.Call(ctx, m.Instance, hotswap.Repeatable, ask)
}

func (m *member) must(t *testing.T, want string) {
	t.Helper()
	if got, err := m.call(t.Context()); got != want || err != nil {
		t.Fatalf("got %q, %v; want %q", got, err, want)
	}
}

func (m *member) isOn(t *testing.T, want string) {
	t.Helper()
	if got := m.Registry().ActiveName(); got != want {
		t.Fatalf("active is %q, want %q", got, want)
	}
}

// switched lists the names that an instance moved to.
func (m *member) switched() (names []string) {
	for _, s := range observed[hotswap.Switched](m.seen) {
		names = append(names, s.To)
	}
	return names
}

// switches counts the entries of the log that name a target.
func switches(log *membus.Log) (n int) {
	for _, e := range log.Entries() {
		if e.Event.Kind == hotswap.KindSwitch {
			n++
		}
	}
	return n
}

// wantError fails the test unless err matches target and says each of parts.
func wantError(t *testing.T, err, target error, parts ...string) {
	t.Helper()
	if !errors.Is(err, target) {
		t.Errorf("got %v, want %v", err, target)
		return
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q does not say %q", err, part)
		}
	}
}
