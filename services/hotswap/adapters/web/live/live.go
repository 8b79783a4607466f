package live

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/hotswap"
)

// Line is the instance's connection to the log, which can be cut by hand.
type Line interface {
	Cut(time.Duration)
	Mend()
	// Remaining is how long it stays cut; 0 when it is not.
	Remaining() time.Duration
}

// Settings say whose page it is. All are required, but for Gossip and Line:
// without them the page shows its own lane alone, and cuts nothing.
type Settings struct {
	ID, Name string
	Chaos    bool
	Timeout  time.Duration
	Status   func() hotswap.Status
	Journal  *Journal
	Gossip   Gossip
	Line     Line
	// Primary and Fallback are the upstreams, by the names of their adapters.
	Primary, Fallback         Source
	PrimaryName, FallbackName string
	Log                       *slog.Logger
}

// Live is the page's view of the cluster. Make one with New and Run it.
type Live struct {
	settings  Settings
	upstreams []named
	board     *Board
	feed      *Feed
	// refresh asks the upstreams at once.
	refresh bell
	// watched is rung when a watcher is heard.
	watched bell

	// joining keeps the order between what readers are sent first and what
	// follows.
	joining sync.Mutex

	mu           sync.Mutex
	life         context.Context // nil until Run
	watchers     int             // own readers
	stopWatching context.CancelFunc
	watching     sync.WaitGroup
	heard        map[string]time.Time // other watchers, and until when
	complained   bool
}

// New makes a view that is asleep.
func New(s Settings) *Live {
	return &Live{settings: s, board: newBoard(s.ID), feed: NewFeed(), refresh: newBell(), watched: newBell(),
		upstreams: []named{{s.PrimaryName, s.Primary}, {s.FallbackName, s.Fallback}},
		heard:     map[string]time.Time{}}
}

// Run keeps the view until ctx ends, and then lets every reader go.
func (l *Live) Run(ctx context.Context) {
	l.mu.Lock()
	l.life = ctx
	l.mu.Unlock()
	defer context.AfterFunc(ctx, l.feed.Close)()

	var running sync.WaitGroup
	if l.settings.Gossip != nil {
		running.Go(func() { _ = l.settings.Gossip.Hear(ctx, topicWatch, l.heardCall) })
		running.Go(func() { l.reportWhileWatched(ctx) })
	}
	<-ctx.Done()
	running.Wait()
	l.mu.Lock()
	l.life = nil
	l.mu.Unlock()
	l.watching.Wait()
	l.feed.Close()
}

// Join adds a reader of the page's updates, which begin after the message with
// the id last where that is possible. The first one also wakes the gossip. The
// error matches ErrFull or ErrStopped. leave must be called.
func (l *Live) Join(last string) (r *Reader, leave func(), err error) {
	stop, err := l.Watch()
	if err != nil {
		return nil, nil, err
	}
	l.joining.Lock()
	r, err = l.feed.Join(last, l.snapshot)
	l.joining.Unlock()
	if err != nil {
		stop()
		return nil, nil, err
	}
	return r, func() { r.Leave(); stop() }, nil
}

func (l *Live) snapshot() []byte {
	l.board.hear(l.report(0))
	u := l.board.all()
	u.Page = &Page{Instance: l.settings.Name, Chaos: l.settings.Chaos, Timeout: l.settings.Timeout.Milliseconds()}
	return encode(u)
}

func encode(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil { // all of it is strings, numbers and finite floats
		panic(err)
	}
	return data
}

// Readers counts those who read updates.
func (l *Live) Readers() int { return l.feed.Readers() }

// Watch keeps the view awake until stop is called.
func (l *Live) Watch() (stop func(), err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.life == nil || l.life.Err() != nil {
		return nil, ErrStopped
	}
	l.watchers++
	if l.watchers == 1 {
		ctx, cancel := context.WithCancel(l.life)
		l.stopWatching = cancel
		l.board.dropSilent()
		l.watching.Go(func() { l.watch(ctx) })
	}
	return sync.OnceFunc(l.unwatch), nil
}

func (l *Live) unwatch() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.watchers--
	if l.watchers == 0 {
		l.stopWatching()
	}
}

// watch does what is needed while somebody reads.
func (l *Live) watch(ctx context.Context) {
	var parts sync.WaitGroup
	defer parts.Wait()
	if l.settings.Gossip != nil {
		parts.Go(func() { _ = l.settings.Gossip.Hear(ctx, topicReport, l.heardReport) })
		parts.Go(func() { l.sendBeacons(ctx) })
	}
	parts.Go(func() { l.askUpstreams(ctx) })
	parts.Go(func() { l.follow(ctx, func() { l.board.hear(l.report(0)) }) })
	parts.Go(func() { l.publish(ctx) })
}

// publish hands what is new on the board to the readers, in pieces that a
// browser can keep up with.
func (l *Live) publish(ctx context.Context) {
	aging := time.NewTicker(time.Second)
	defer aging.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-aging.C:
			l.board.age(l.settings.Status().Connected)
			continue
		case <-l.board.news:
		}
		l.joining.Lock()
		if u, some := l.board.take(); some {
			l.feed.Publish(encode(u))
		}
		l.joining.Unlock()
		pause(ctx, 150*time.Millisecond)
	}
}

// follow calls tell when the journal has news, soon for a switch and less soon
// for an answer, and in any case now and then.
func (l *Live) follow(ctx context.Context, tell func()) {
	j, stop := l.settings.Journal.listen()
	defer stop()
	for ctx.Err() == nil {
		tell()
		pause(ctx, urgentGap)
		gap := time.NewTimer(reportGap - urgentGap)
		select {
		case <-j.moved:
		case <-gap.C:
			await(ctx, j)
		case <-ctx.Done():
		}
		gap.Stop()
	}
}

func await(ctx context.Context, j listener) {
	anyway := time.NewTimer(reportEvery - reportGap)
	defer anyway.Stop()
	select {
	case <-j.moved:
	case <-j.marked:
	case <-anyway.C:
	case <-ctx.Done():
	}
}

func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

func (l *Live) askUpstreams(ctx context.Context) {
	every := time.NewTicker(askEvery)
	defer every.Stop()
	for {
		if answers := ask(ctx, l.upstreams); ctx.Err() == nil {
			l.board.setUpstreams(answers)
		}
		select {
		case <-every.C:
		case <-l.refresh:
		case <-ctx.Done():
			return
		}
	}
}

// Refresh has the upstreams asked at once, if somebody reads.
func (l *Live) Refresh() { l.refresh.ring() }

// report is what this instance says of itself. Switches are those of the last
// while, or all when it is 0.
func (l *Live) report(while time.Duration) Report {
	s := l.settings.Status()
	r := Report{ID: l.settings.ID, Name: l.settings.Name, Active: s.Active, Position: uint64(s.Log.Position),
		Connected: s.Connected, Pinned: s.Pinned, Alone: s.Alone, Ramping: s.Ramping, Pending: s.Pending}
	if l.settings.Line != nil {
		left := l.settings.Line.Remaining()
		r.Cut, r.CutFor = left > 0, left.Milliseconds()
	}
	since := int64(0)
	if while > 0 {
		since = time.Now().Add(-while).UnixMilli()
	}
	l.settings.Journal.report(&r, since)
	return r
}

// errNoGossip says that other instances can't be reached.
var errNoGossip = errors.New("no channel to other instances")
