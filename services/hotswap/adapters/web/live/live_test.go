package live

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/hotswap"
	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/membus"
)

// place is one instance's page, without the rest of the instance.
type place struct {
	*Live
	name      string
	conn      *counting
	journal   *Journal
	line      *line
	connected atomic.Bool
	kill      func()
}

// counting is a gossip channel that counts what is told.
type counting struct {
	*membus.Conn
	told atomic.Int64
}

func (c *counting) Tell(ctx context.Context, topic string, message []byte) error {
	c.told.Add(1)
	return c.Conn.Tell(ctx, topic, message)
}

type line struct {
	mu    sync.Mutex
	until time.Time
}

func (l *line) Cut(d time.Duration) { l.set(time.Now().Add(d)) }
func (l *line) Mend()               { l.set(time.Time{}) }
func (l *line) set(t time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.until = t
}
func (l *line) Remaining() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return max(0, time.Until(l.until))
}

// well is an upstream that is well.
type well struct{}

func (well) Health(context.Context) error { return nil }
func (well) Fault(context.Context) (json.RawMessage, error) {
	return json.RawMessage(`{"mode":"cycle","phase":"healthy","fault":"none","remaining":"12.5s"}`), nil
}

// settle lets everything that waits for time to pass get there.
func settle(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func open(t *testing.T, log *membus.Log, name, run string, chaos bool) *place {
	t.Helper()
	p := &place{name: name, conn: &counting{Conn: log.Connect()}, line: &line{}}
	p.connected.Store(true)
	status := func() hotswap.Status { return hotswap.Status{Active: "primary", Connected: p.connected.Load()} }
	p.journal = NewJournal("primary", status)
	p.Live = New(Settings{ID: "hotswap:" + name + "-8080:" + run, Name: name, Chaos: chaos, Status: status, Journal: p.journal,
		Gossip: p.conn, Line: p.line, Primary: well{}, Fallback: well{}, PrimaryName: "primary", FallbackName: "fallback",
		Log: slog.New(slog.DiscardHandler)})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); p.Run(ctx) }()
	p.kill = sync.OnceFunc(func() { cancel(); <-ended })
	synctest.Wait()
	return p
}

// reader folds a stream of updates as the page does.
type reader struct {
	*Reader
	leave func()
	lanes map[string]Lane
	last  string
}

func (p *place) read(t *testing.T, last string) *reader {
	t.Helper()
	r, leave, err := p.Join(last)
	if err != nil {
		t.Fatal(err)
	}
	return &reader{Reader: r, leave: leave, lanes: map[string]Lane{}}
}

func (r *reader) fold(t *testing.T) *reader {
	t.Helper()
	for {
		select {
		case m, open := <-r.C:
			if !open {
				return r
			}
			r.apply(t, m)
		default:
			return r
		}
	}
}

func (r *reader) apply(t *testing.T, m Message) {
	t.Helper()
	var u Update
	if err := json.Unmarshal(m.Data, &u); err != nil {
		t.Fatalf("%v in %s", err, m.Data)
	}
	if u.Full {
		clear(r.lanes)
	}
	for _, id := range u.Gone {
		delete(r.lanes, id)
	}
	for _, l := range u.Lanes {
		r.lanes[l.ID] = l
	}
	r.last = m.ID
}

// lane returns the one lane with that name.
func (r *reader) lane(t *testing.T, name string) Lane {
	t.Helper()
	r.fold(t)
	var found []Lane
	for _, l := range r.lanes {
		if l.Name == name {
			found = append(found, l)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%d lanes called %s among %d", len(found), name, len(r.lanes))
	}
	return found[0]
}

// While nobody reads a page nothing is told, whatever happens. When the last
// reader leaves, it is quiet again.
func TestNothingIsToldWhileNobodyReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := membus.New()
		a, b := open(t, log, "a", "1", true), open(t, log, "b", "1", true)
		told := func() int64 { return a.conn.told.Load() + b.conn.told.Load() }
		answer := func() { b.journal.Observe(hotswap.Answered{Adapter: "primary"}) }

		for range 100 {
			answer()
			settle(time.Second)
		}
		if told() != 0 {
			t.Errorf("%d messages while nobody reads", told())
		}
		r := a.read(t, "")
		answer()
		settle(3 * time.Second)
		if r.lane(t, "b").Marked != 101 || !r.lane(t, "a").Self {
			t.Errorf("lanes: %+v", r.lanes)
		}
		r.leave()
		settle(beaconExpiry + reportEvery)
		before := told()
		answer()
		settle(time.Minute)
		if told() != before {
			t.Errorf("%d messages after the last reader left", told()-before)
		}
		a.kill()
		b.kill()
	})
}

// An instance that dies goes grey and leaves; one that comes back under its name
// takes its place; a new one joins.
func TestLanesComeAndGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := membus.New()
		a, b := open(t, log, "a", "1", true), open(t, log, "b", "1", true)
		r := a.read(t, "")
		settle(time.Second)
		if r.lane(t, "b").Silent {
			t.Error("b is silent from the start")
		}
		b.kill()
		settle(silentAfter + 2*time.Second)
		if !r.lane(t, "b").Silent {
			t.Error("b is dead and not silent")
		}
		b = open(t, log, "b", "2", true)
		settle(beaconEvery + time.Second)
		if l := r.lane(t, "b"); l.Silent || l.ID != b.settings.ID {
			t.Errorf("the second run of b: %+v", l)
		}
		c := open(t, log, "c", "1", true)
		settle(beaconEvery + time.Second)
		r.lane(t, "c")
		c.kill()
		settle(goneAfter + 2*time.Second)
		if r.fold(t); len(r.lanes) != 2 {
			t.Errorf("%d lanes, want that of c to have left", len(r.lanes))
		}
		a.kill()
		b.kill()
		if r.fold(t); len(r.C) != 0 {
			t.Error("the reader was not let go")
		}
	})
}

// A page whose own instance is off the bus keeps the lanes that it can't hear,
// and shows its own.
func TestOffTheBusNobodyLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := membus.New()
		a, b := open(t, log, "a", "1", true), open(t, log, "b", "1", true)
		r := a.read(t, "")
		settle(time.Second)
		a.connected.Store(false)
		b.kill()
		settle(time.Minute)
		if !r.lane(t, "b").Silent || r.lane(t, "a").Connected {
			t.Errorf("lanes: %+v", r.lanes)
		}
		a.kill()
	})
}

// A reader that comes back after a short while misses nothing, and one that slept
// for a minute is told everything.
func TestReaderComesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := membus.New()
		a := open(t, log, "a", "1", true)
		keep := a.read(t, "")
		r := a.read(t, "")
		settle(time.Second)
		last := r.fold(t).last
		r.leave()
		a.journal.Observe(hotswap.Failed{Err: errTimeout})
		settle(time.Second)
		keep.fold(t)

		if r = a.read(t, last); r.lane(t, "a").Marks != "t" {
			t.Errorf("after a second: %+v", r.lanes)
		}
		r.leave()
		for range 60 {
			a.journal.Observe(hotswap.Answered{Adapter: "fallback"})
			settle(time.Second)
			keep.fold(t)
		}
		if r = a.read(t, last); r.lane(t, "a").Counts.Fallback != 60 {
			t.Errorf("after a minute: %+v", r.lanes)
		}
		a.kill()
	})
}

// Two pages on two instances come to the same view.
func TestTwoPagesAgree(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := membus.New()
		a, b, c := open(t, log, "a", "1", true), open(t, log, "b", "1", true), open(t, log, "c", "1", true)
		c.journal.Observe(hotswap.Decided{Cause: hotswap.CauseFailure, Reason: "timeout", Event: decision})
		ra := a.read(t, "")
		settle(20 * time.Second)
		rb := b.read(t, "") // long after the switch
		settle(3 * time.Second)
		for _, name := range []string{"a", "b", "c"} {
			la, lb := ra.lane(t, name), rb.lane(t, name)
			la.Self, lb.Self = false, false
			if string(encode(la)) != string(encode(lb)) {
				t.Errorf("lane %s:\n%s\n%s", name, encode(la), encode(lb))
			}
		}
		if sa, sb := encode(a.board.all().Switches), encode(b.board.all().Switches); string(sa) != string(sb) || len(sb) < 10 {
			t.Errorf("switches:\n%s\n%s", sa, sb)
		}
		a.kill()
		b.kill()
		c.kill()
	})
}

func TestCommands(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := membus.New()
		a, b, calm := open(t, log, "a", "1", true), open(t, log, "b", "1", true), open(t, log, "calm", "1", false)
		for _, p := range []*place{a, b} {
			report, err := a.Command(t.Context(), Order{Instance: p.name, Cut: true, For: 20_000})
			if left := p.line.Remaining(); err != nil || !report.Cut || report.Name != p.name || left <= 15*time.Second {
				t.Errorf("cut %s: %v, %+v, %v left", p.name, err, report, left)
			}
		}
		if _, err := a.Command(t.Context(), Order{Instance: "b"}); err != nil || b.line.Remaining() != 0 {
			t.Errorf("let b back: %v, %v left", err, b.line.Remaining())
		}
		if _, err := a.Command(t.Context(), Order{Instance: "nobody", Cut: true, For: 1000}); !errors.Is(err, ErrUnknownInstance) {
			t.Errorf("an order to nobody: %v", err)
		}
		if _, err := a.Command(t.Context(), Order{Instance: "calm", Cut: true, For: 1000}); !errors.Is(err, ErrUnknownInstance) || calm.line.Remaining() > 0 {
			t.Errorf("an order to an instance without chaos: %v, %v left", err, calm.line.Remaining())
		}
		b.line.Cut(time.Hour)
		if err := a.MendAll(t.Context()); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		if a.line.Remaining() != 0 || b.line.Remaining() != 0 {
			t.Error("somebody is still cut off")
		}
		for _, p := range []*place{a, b, calm} {
			p.kill()
		}
	})
}

// What does not belong on the channel is dropped, and the next message is heard.
func TestBadGossip(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := membus.New()
		a, b := open(t, log, "a", "1", true), open(t, log, "b", "1", true)
		r := a.read(t, "")
		for _, topic := range []string{topicWatch, topicReport} {
			for _, message := range []string{"", "hello", "{}", `{"from":""}`, `{"id":"x"}`, `{"from":"x","order":{"instance":"a","cut":true,"for":-5}}`} {
				b.conn.Tell(t.Context(), topic, []byte(message)) //nolint:errcheck // in memory
			}
		}
		settle(2 * time.Second)
		r.lane(t, "b")
		if r.fold(t); len(r.lanes) != 2 || a.line.Remaining() != 0 {
			t.Errorf("lanes: %+v, cut for %v", r.lanes, a.line.Remaining())
		}
		a.kill()
		b.kill()
	})
}

func TestUpstreams(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := ask(t.Context(), []named{{"primary", well{}}, {"fallback", ill{ErrDown}}, {"third", ill{errors.New("refused")}}})
		if p := all[0]; p.State != Up || p.Mode != "cycle" || p.Left == nil || *p.Left != 12_500 {
			t.Errorf("primary: %+v", p)
		}
		if all[1].State != Down || all[2].State != Away || all[2].Left != nil {
			t.Errorf("the others: %+v", all[1:])
		}
	})
}

type ill struct{ err error }

func (i ill) Health(context.Context) error                   { return i.err }
func (i ill) Fault(context.Context) (json.RawMessage, error) { return nil, i.err }

func TestJoinBeforeRun(t *testing.T) {
	l := New(Settings{})
	if _, _, err := l.Join(""); !errors.Is(err, ErrStopped) {
		t.Errorf("got %v", err)
	}
}
