package live

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// When a lane of which nothing is heard goes grey, and when it leaves. Each
// instance reports at least every 2 s.
const (
	silentAfter = 5 * time.Second
	goneAfter   = 15 * time.Second
)

// Bounds of what the board keeps.
const (
	maxLanes    = 500
	maxSwitches = 30
)

// Lane is one instance as the page shows it.
type Lane struct {
	Report
	// Self marks the instance that serves the page.
	Self bool `json:"self,omitempty"`
	// Silent says that nothing was heard of it for a while.
	Silent bool `json:"silent,omitempty"`

	heard time.Time
}

// Switch is one entry of the timeline.
type Switch struct {
	ID       string `json:"id"`
	Position uint64 `json:"position"`
	Target   string `json:"target"`
	Reason   string `json:"reason"`
	Author   string `json:"author"`
	At       int64  `json:"at"`
	Manual   bool   `json:"manual,omitempty"`
	Pinned   bool   `json:"pinned,omitempty"`
	// Applied has one entry for each instance that it moved: how long that took,
	// in milliseconds, by the name of the instance.
	Applied map[string]float64 `json:"applied"`
	// Waiting counts the instances that wait for their turn.
	Waiting int `json:"waiting,omitempty"`

	by map[string]Applied // by the id of the instance
}

// Update is what readers are sent: all of it, or what changed. Each part of it
// is complete in itself, so that applying it twice does no harm.
type Update struct {
	// Full says that lanes and switches which are not in it are gone.
	Full      bool       `json:"full,omitempty"`
	Page      *Page      `json:"page,omitempty"`
	Lanes     []Lane     `json:"lanes,omitempty"`
	Gone      []string   `json:"gone,omitempty"`
	Switches  []Switch   `json:"switches,omitempty"`
	Void      []string   `json:"void,omitempty"`
	Upstreams []Upstream `json:"upstreams,omitempty"`
}

// Page is what does not change while an instance runs.
type Page struct {
	Instance string `json:"instance"`
	Chaos    bool   `json:"chaos"`
	Timeout  int64  `json:"timeout"` // in milliseconds
}

// Board holds what is known of the cluster, and what of that is news. It is safe
// for concurrent use.
type Board struct {
	self string
	news bell

	mu        sync.Mutex
	lanes     map[string]*Lane
	switches  map[string]*Switch
	upstreams []Upstream

	// What changed since the last update was taken.
	lanesChanged, switchesChanged map[string]bool
	gone, void                    []string
	upstreamsChanged              bool
}

func newBoard(self string) *Board {
	return &Board{self: self, news: newBell(), lanes: map[string]*Lane{}, switches: map[string]*Switch{},
		lanesChanged: map[string]bool{}, switchesChanged: map[string]bool{}}
}

// hear puts a report on the board.
func (b *Board) hear(r Report) {
	b.mu.Lock()
	defer b.mu.Unlock()
	lane := b.lanes[r.ID]
	if lane == nil {
		if len(b.lanes) >= maxLanes {
			return
		}
		b.replaceSilent(r.Name)
		lane = &Lane{Self: r.ID == b.self}
		b.lanes[r.ID] = lane
	}
	for _, a := range r.Applied {
		b.apply(r, a)
	}
	r.Applied = nil
	lane.Report, lane.Silent, lane.heard = r, false, time.Now()
	b.lanesChanged[r.ID] = true
	b.news.ring()
}

// replaceSilent lets the lane of an earlier run leave when the instance is back.
func (b *Board) replaceSilent(name string) {
	for id, lane := range b.lanes {
		if lane.Name == name && lane.Silent {
			b.remove(id)
		}
	}
}

func (b *Board) remove(id string) {
	delete(b.lanes, id)
	delete(b.lanesChanged, id)
	b.gone = append(b.gone, id)
	b.news.ring()
}

// apply merges what one instance says of a switch into the timeline.
func (b *Board) apply(r Report, a Applied) {
	s := b.switches[a.Switch]
	if a.How == Void {
		if s != nil && a.Origin == r.ID {
			delete(b.switches, a.Switch)
			delete(b.switchesChanged, a.Switch)
			b.void = append(b.void, a.Switch)
		}
		return
	}
	if s == nil {
		s = &Switch{ID: a.Switch, Target: a.Target, Reason: a.Reason, Author: authorName(a.Origin),
			At: a.At, Applied: map[string]float64{}, by: map[string]Applied{}}
		b.switches[a.Switch] = s
		b.forget()
	}
	if old, ok := s.by[r.ID]; ok && old.How == a.How && old.Took == a.Took && s.Position >= a.Position {
		return
	}
	s.by[r.ID] = a
	s.Position, s.Manual, s.Pinned = max(s.Position, a.Position), s.Manual || a.Manual, s.Pinned || a.Pinned
	b.count(s, r.Name, a)
	b.switchesChanged[a.Switch] = true
}

func (b *Board) count(s *Switch, name string, a Applied) {
	if a.How == Moved {
		s.Applied[name] = a.Took
	}
	s.Waiting = 0
	for _, by := range s.by {
		if by.How == Waiting {
			s.Waiting++
		}
	}
}

// forget bounds the timeline.
func (b *Board) forget() {
	if len(b.switches) <= maxSwitches {
		return
	}
	oldest := slices.MinFunc(slices.Collect(maps.Values(b.switches)), byTime)
	delete(b.switches, oldest.ID)
	delete(b.switchesChanged, oldest.ID)
	b.void = append(b.void, oldest.ID)
}

func byTime(a, c *Switch) int { return cmp.Or(cmp.Compare(a.At, c.At), cmp.Compare(a.ID, c.ID)) }

// authorName takes the name for people out of a bus id: app:name-port:random.
func authorName(origin string) string {
	parts := strings.Split(origin, ":")
	if len(parts) < 3 {
		return origin
	}
	name := parts[len(parts)-2]
	if i := strings.LastIndexByte(name, '-'); i > 0 && strings.Trim(name[i+1:], "0123456789") == "" {
		return name[:i]
	}
	return name
}

// age lets lanes go grey, and leave. While the own instance is off the bus it
// can't tell who is gone, so that nobody leaves.
func (b *Board) age(connected bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for id, lane := range b.lanes {
		switch quiet := time.Since(lane.heard); {
		case id == b.self:
		case quiet > goneAfter && connected:
			b.remove(id)
		case quiet > silentAfter && !lane.Silent:
			lane.Silent = true
			b.lanesChanged[id] = true
			b.news.ring()
		}
	}
}

// dropSilent forgets the lanes of which nothing was heard lately, because nobody
// listened.
func (b *Board) dropSilent() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for id, lane := range b.lanes {
		if time.Since(lane.heard) > silentAfter {
			b.remove(id)
		}
	}
}

// named finds the newest report of the instance that people call name.
func (b *Board) named(name string) (Report, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	var found *Lane
	for _, lane := range b.lanes {
		if lane.Name == name && !lane.Silent && (found == nil || lane.heard.After(found.heard)) {
			found = lane
		}
	}
	if found == nil {
		return Report{}, false
	}
	return found.Report, true
}

// names lists the instances that were heard of lately.
func (b *Board) names() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	names := make([]string, 0, len(b.lanes))
	for _, lane := range b.lanes {
		if !lane.Silent {
			names = append(names, lane.Name)
		}
	}
	slices.Sort(names)
	return names
}

func (b *Board) setUpstreams(u []Upstream) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.upstreams, b.upstreamsChanged = u, true
	b.news.ring()
}

// take returns what changed since the last call.
func (b *Board) take() (u Update, some bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for id := range b.lanesChanged {
		u.Lanes = append(u.Lanes, *b.lanes[id])
	}
	for id := range b.switchesChanged {
		u.Switches = append(u.Switches, b.switches[id].copy())
	}
	u.Gone, u.Void = b.gone, b.void
	if b.upstreamsChanged {
		u.Upstreams = b.upstreams
	}
	some = len(u.Lanes)+len(u.Switches)+len(u.Gone)+len(u.Void)+len(u.Upstreams) > 0
	clear(b.lanesChanged)
	clear(b.switchesChanged)
	b.gone, b.void, b.upstreamsChanged = nil, nil, false
	return u, some
}

// all returns everything.
func (b *Board) all() Update {
	b.mu.Lock()
	defer b.mu.Unlock()
	u := Update{Full: true, Upstreams: b.upstreams}
	for _, lane := range b.lanes {
		u.Lanes = append(u.Lanes, *lane)
	}
	for _, s := range b.switches {
		u.Switches = append(u.Switches, s.copy())
	}
	return u
}

func (s *Switch) copy() Switch {
	c := *s
	c.Applied, c.by = maps.Clone(s.Applied), nil
	return c
}
