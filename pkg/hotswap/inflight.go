package hotswap

import (
	"context"
	"sync"
	"sync/atomic"
)

// inflight is the calls that end with their activation. It is split in parts,
// because every call comes and goes through one, on all cores at a time.
type inflight [8]inflightPart

// inflightPart is a ring of calls with head as its fixed place.
type inflightPart struct {
	mu    sync.Mutex
	ended bool
	head  inflightCall
	_     [64]byte // keeps the parts from sharing a cache line
}

// inflightCall is one call's place in the ring. It is used again by later calls
// of the same core (see inflightCalls), which find its part in that core's cache.
type inflightCall struct {
	number     uint32 // of its part
	part       *inflightPart
	prev, next *inflightCall
	cancel     context.CancelFunc
}

// inflightCalls are the places that no call uses now.
type inflightCalls struct {
	pool sync.Pool
	made atomic.Uint32
}

func (f *inflightCalls) take(cancel context.CancelFunc) *inflightCall {
	c, _ := f.pool.Get().(*inflightCall)
	if c == nil {
		c = &inflightCall{number: f.made.Add(1) % uint32(len(inflight{}))}
	}
	c.cancel = cancel
	return c
}

// giveBack takes a call out of its ring and keeps its place for others.
func (f *inflightCalls) giveBack(c *inflightCall) {
	c.leave()
	c.cancel = nil
	f.pool.Put(c)
}

// enter registers a call. It reports false, and registers nothing, when the
// activation has ended.
func (f *inflight) enter(c *inflightCall) bool {
	p := &f[c.number]
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		return false
	}
	if p.head.next == nil {
		p.head.prev, p.head.next = &p.head, &p.head
	}
	c.part, c.prev, c.next = p, p.head.prev, &p.head
	c.prev.next, c.next.prev = c, c
	return true
}

// leave takes a call that has entered out, if it is still in.
func (c *inflightCall) leave() {
	c.part.mu.Lock()
	defer c.part.mu.Unlock()
	c.unlink()
}

func (c *inflightCall) unlink() {
	if c.next == nil {
		return
	}
	c.prev.next, c.next.prev = c.next, c.prev
	c.prev, c.next = nil, nil
}

// end empties every part for good and returns what cancels the calls.
func (f *inflight) end() []context.CancelFunc {
	var cancels []context.CancelFunc
	for i := range f {
		cancels = f[i].end(cancels)
	}
	return cancels
}

func (p *inflightPart) end(cancels []context.CancelFunc) []context.CancelFunc {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = true
	for c := p.head.next; c != nil && c != &p.head; c = p.head.next {
		cancels = append(cancels, c.cancel)
		c.unlink()
	}
	return cancels
}
