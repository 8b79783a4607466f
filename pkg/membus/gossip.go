package membus

import (
	"context"
	"slices"
	"sync"
)

// maxUnheard bounds the messages that a listener has not taken yet. Gossip is
// not the log: what exceeds it is lost.
const maxUnheard = 1024

// gossip carries short messages past the log, to whoever listens now.
type gossip struct {
	mu        sync.Mutex
	listeners map[string][]chan []byte // by topic
}

// Tell sends a message to all who hear topic now, past the log: it is not kept,
// and a cut connection carries it all the same. It returns nil, or ErrClosed.
func (c *Conn) Tell(_ context.Context, topic string, message []byte) error {
	if c.isClosed() {
		return ErrClosed
	}
	g := &c.log.gossip
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, listener := range g.listeners[topic] {
		select {
		case listener <- message:
		default:
		}
	}
	return nil
}

// Hear calls f with each message of topic from the caller's goroutine, until ctx
// ends or the connection is closed. f must not change the message.
func (c *Conn) Hear(ctx context.Context, topic string, f func(message []byte)) error {
	messages := make(chan []byte, maxUnheard)
	c.log.gossip.add(topic, messages)
	defer c.log.gossip.remove(topic, messages)
	for {
		closed, changed := c.closedOr()
		if closed {
			return ErrClosed
		}
		select {
		case message := <-messages:
			f(message)
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (g *gossip) add(topic string, c chan []byte) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.listeners == nil {
		g.listeners = make(map[string][]chan []byte)
	}
	g.listeners[topic] = append(g.listeners[topic], c)
}

func (g *gossip) remove(topic string, c chan []byte) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.listeners[topic] = slices.DeleteFunc(g.listeners[topic], func(other chan []byte) bool { return other == c })
}

func (c *Conn) isClosed() bool {
	closed, _ := c.closedOr()
	return closed
}

// closedOr returns whether the connection is closed, or what to wait for.
func (c *Conn) closedOr() (isClosed bool, changed <-chan struct{}) {
	c.log.mu.Lock()
	defer c.log.mu.Unlock()
	return c.state == closed, c.log.changed
}
