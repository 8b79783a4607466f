package membus

import (
	"context"
	"fmt"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/hotswap"
)

// ErrCut is what Lost tells the subscriber of a connection that was cut. It
// matches hotswap.ErrUnavailable.
var ErrCut = fmt.Errorf("%w: connection cut", hotswap.ErrUnavailable)

// ErrReplaced is what Lost tells the subscribers of a log that was replaced.
var ErrReplaced = fmt.Errorf("%w: log replaced", hotswap.ErrUnavailable)

// ErrClosed is what Publish and Subscribe return after Close. It matches
// hotswap.ErrUnavailable.
var ErrClosed = fmt.Errorf("%w: connection closed", hotswap.ErrUnavailable)

// state is how well a connection works.
type state int

const (
	working state = iota
	frozen
	cut
	closed
)

// Conn is one instance's Bus. It is safe for concurrent use.
type Conn struct {
	log *Log
	// state, unconfirmed are guarded by log.mu.
	state       state
	unconfirmed bool
}

// Cut takes the instance off the bus until Mend: its read ends, and a Publish
// fails at once.
func (c *Conn) Cut() { c.set(cut) }

// Freeze makes the connection silent until Mend, without an error: nothing
// arrives, and a Publish waits.
func (c *Conn) Freeze() { c.set(frozen) }

// Mend undoes Cut and Freeze.
func (c *Conn) Mend() { c.set(working) }

// Close ends every Subscribe and Publish of this connection, for good. It
// returns nil and may be called again.
func (c *Conn) Close() error {
	c.set(closed)
	return nil
}

// LoseConfirms makes every Publish append its event and yet report an error, as
// when a connection breaks between the two; false undoes it.
func (c *Conn) LoseConfirms(lose bool) {
	c.log.change(func() { c.unconfirmed = lose })
}

func (c *Conn) set(s state) {
	c.log.change(func() {
		if c.state != closed {
			c.state = s
		}
	})
}

// Publish implements hotswap.Bus. It waits only while the connection is frozen.
func (c *Conn) Publish(ctx context.Context, event hotswap.AdapterSwitchEvent) error {
	for {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("publish: %w", err)
		}
		wait, err := c.tryPublish(event)
		if wait == nil {
			return err
		}
		await(ctx, wait)
	}
}

// tryPublish appends event, unless the connection is frozen: then it returns
// what to wait for.
func (c *Conn) tryPublish(event hotswap.AdapterSwitchEvent) (wait <-chan struct{}, err error) {
	c.log.mu.Lock()
	defer c.log.mu.Unlock()
	switch {
	case c.state == frozen:
		return c.log.changed, nil
	case c.state != working:
		return nil, c.broken()
	}
	c.log.append(event)
	c.log.wake()
	if c.unconfirmed {
		return nil, fmt.Errorf("%w: confirmation lost", hotswap.ErrUnavailable)
	}
	return nil, nil
}

// broken says why nothing passes. The caller holds the mutex.
func (c *Conn) broken() error {
	switch c.state {
	case cut:
		return ErrCut
	case closed:
		return ErrClosed
	default:
		return nil
	}
}

// await returns when wait or ctx ends.
func await(ctx context.Context, wait <-chan struct{}) {
	select {
	case <-wait:
	case <-ctx.Done():
	}
}
