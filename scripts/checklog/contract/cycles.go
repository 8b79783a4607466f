package contract

import (
	"fmt"
	"slices"

	"github.com/adapter-hotswap/adapter-hotswap-go/services/hotswap/walkthrough"
)

// member is the part of one instance in one cycle.
type member struct {
	name        string
	away        *seen // why it left the primary
	back        *seen // why it went back
	whole       bool  // the log shows its Chien before away
	interrupted string
	rescued     int
}

// cycles sorts the instances' switches into the cycles of the primary and judges
// each cycle once everybody is through. An instance that the log shows from its
// start is placed by counting, however far the log runs ahead of the others; one
// that joined is placed by where the others are.
type cycles struct {
	opts      Options
	instances []*instance // sorted by name
	open      map[int][]*member
	front     int  // the last cycle in which somebody left the primary
	over      bool // somebody went back since
	next      int  // the next cycle to judge, from 1
}

func newCycles(opts Options) *cycles {
	return &cycles{opts: opts, open: map[int][]*member{}, next: 1}
}

func (c *cycles) find(name string) (int, bool) {
	return slices.BinarySearchFunc(c.instances, name, func(i *instance, name string) int {
		return compareNames(i.name, name)
	})
}

// exit takes note that the process of an instance ended.
func (c *cycles) exit(name string) {
	if at, found := c.find(name); found {
		c.instances[at].exit()
	}
}

// instance finds the instance, or adds it.
func (c *cycles) instance(name string) *instance {
	at, found := c.find(name)
	if !found {
		c.instances = slices.Insert(c.instances, at, &instance{name: name})
	}
	return c.instances[at]
}

// leave opens i's part in the cycle whose outage s begins.
func (c *cycles) leave(i *instance, s *seen) string {
	i.cycle = c.place(i)
	i.joined = false
	if i.cycle > c.front {
		c.front, c.over = i.cycle, false
	}
	i.member = &member{name: i.name, away: s, whole: i.answered}
	c.open[i.cycle] = append(c.open[i.cycle], i.member)
	return c.tooMany(i.cycle, s)
}

// place says in which cycle i's next outage is. An instance that joined is in the
// outage that others have left for and nobody has come back from; if there is
// none, it is the first in the next.
func (c *cycles) place(i *instance) int {
	switch {
	case !i.joined:
		return i.cycle + 1
	case c.front == 0 || c.over || i.cycle == c.front:
		return c.front + 1
	default:
		return c.front
	}
}

// goBack takes note that i leaves the fallback.
func (c *cycles) goBack(i *instance, s *seen) {
	if i.member != nil {
		i.member.back = s
	}
	c.over = true
}

func (c *cycles) tooMany(cycle int, s *seen) string {
	if c.opts.MaxTimeouts == 0 || !s.detects() {
		return ""
	}
	first, n := 0, 0
	for _, m := range c.open[cycle] {
		if m.away.detects() {
			n++
			if first == 0 {
				first = m.away.line
			}
		}
	}
	if n <= c.opts.MaxTimeouts {
		return ""
	}
	return fmt.Sprintf("is number %d to meet the failure in this outage, at most %d may (the first is in line %d)",
		n, c.opts.MaxTimeouts, first)
}

// number is the cycle that i is in, for people.
func (c *cycles) number(i *instance) int {
	switch {
	case i.member != nil:
		return i.cycle
	case i.joined && i.active == walkthrough.Fallback:
		return max(1, c.front)
	default:
		return c.place(i)
	}
}

// judge returns the next cycle that everybody is through, or nil if there is
// none yet. The error is a *Violation without its cycle's summary.
func (c *cycles) judge() (*Cycle, *Violation) {
	if !c.through(c.next) {
		return nil, nil
	}
	members := c.open[c.next]
	delete(c.open, c.next)
	slices.SortFunc(members, func(a, b *member) int { return compareNames(a.name, b.name) })
	cycle := summarise(c.next, members)
	cycle.Skipped = c.whyNotWhole(members)
	c.next++
	if cycle.Skipped == "" && !c.solo() {
		if v := begunAndEnded(cycle.Number, members); v != nil {
			return nil, v
		}
	}
	return cycle, nil
}

// through says whether no instance can add to cycle n any more.
func (c *cycles) through(n int) bool {
	if c.front < n || len(c.instances) < c.need() {
		return false
	}
	return !slices.ContainsFunc(c.instances, func(i *instance) bool {
		behind := i.cycle < n || i.cycle == n && i.member != nil
		return behind && !i.joined && !i.gone
	})
}

// solo says that the log has no prefixes: of the other instances it tells
// nothing, not even whether there are any.
func (c *cycles) solo() bool { return len(c.instances) == 1 && c.instances[0].name == alone }

func (c *cycles) need() int {
	if c.solo() {
		return 1
	}
	return c.opts.Instances
}

func (c *cycles) whyNotWhole(members []*member) string {
	for _, m := range members {
		switch {
		case m.interrupted != "":
			return display(m.name) + " " + m.interrupted
		case !m.whole:
			return display(m.name) + " joined in the middle"
		}
	}
	for _, i := range c.instances {
		if i.joined && !i.gone { // it may be the one that went back first
			return display(i.name) + " joined in the middle"
		}
	}
	if len(members) < c.need() {
		return fmt.Sprintf("%d of at least %d instances took part from its start", len(members), c.need())
	}
	return ""
}

// begunAndEnded checks what only all instances together can show: somebody
// decided to leave, and somebody to go back.
func begunAndEnded(number int, members []*member) *Violation {
	decided := func(of func(*member) *seen) bool {
		return slices.ContainsFunc(members, func(m *member) bool { return of(m).Kind != walkthrough.KindReceived })
	}
	away := func(m *member) *seen { return m.away }
	back := func(m *member) *seen { return m.back }
	m := members[0]
	switch {
	case !decided(away):
		return m.violation(number, m.away, "was warned, but no instance printed that it met a failure (with more than two instances, say -instances N)")
	case !decided(back):
		return m.violation(number, m.back, "was told to go back, but no instance printed a HEALTHCHECK")
	}
	return nil
}

func (m *member) violation(number int, s *seen, rule string) *Violation {
	return &Violation{Cycle: number, Line: s.line, Instance: m.name, Text: s.text, Rule: rule}
}
