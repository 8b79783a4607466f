package hotswap

import (
	"context"
	"math/rand/v2"
	"sync"
)

// inflight is the calls that end with their activation. It is split in parts,
// because every call comes and goes through one, on all cores at a time.
type inflight [8]inflightPart

// inflightPart is a ring of calls with head as its fixed place.
type inflightPart struct {
	mu    sync.Mutex
	ended bool
	head  inflightCall
	_     [16]byte // a part fills a cache line, so that parts don't slow each other
}

// inflightCall is one call's place in the ring.
type inflightCall struct {
	prev, next *inflightCall
	cancel     context.CancelFunc
	part       *inflightPart
}

// enter registers a call. It reports false, and registers nothing, when the
// activation has ended.
func (f *inflight) enter(c *inflightCall) bool {
	p := &f[rand.Uint32()%uint32(len(f))]
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

// leave takes the call out, if it is still in. A nil call is none.
func (c *inflightCall) leave() {
	if c == nil {
		return
	}
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
