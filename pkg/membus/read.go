package membus

import (
	"context"
	"errors"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/hotswap"
)

// Subscribe implements hotswap.Bus. It calls s from the caller's goroutine.
// Unlike a connection to a broker, one that was cut comes back only by Mend.
func (c *Conn) Subscribe(ctx context.Context, s hotswap.Subscriber) error {
	told := false // s knows of the present loss
	for ctx.Err() == nil {
		r, wait, err := c.begin()
		if r != nil {
			told, err = false, r.run(ctx, s)
		}
		if errors.Is(err, ErrClosed) {
			return err
		}
		if err != nil && !told && ctx.Err() == nil {
			told = true
			s.Lost(err)
		}
		if wait != nil {
			await(ctx, wait)
		}
	}
	return ctx.Err()
}

// reading is one read of the log, from its first entry to the loss of the
// connection.
type reading struct {
	conn *Conn
	life int
	// past is the last entry that the log held when the read began.
	past hotswap.Position
	at   hotswap.Position
}

// begin starts a read. Where the connection is cut or frozen, it returns what
// to wait for instead.
func (c *Conn) begin() (r *reading, wait <-chan struct{}, err error) {
	c.log.mu.Lock()
	defer c.log.mu.Unlock()
	if c.state != working {
		return nil, c.log.changed, c.broken()
	}
	return &reading{conn: c, life: c.log.life, past: c.log.last}, nil, nil
}

// run tells s what the log holds until the connection or ctx ends.
func (r *reading) run(ctx context.Context, s hotswap.Subscriber) error {
	s.Begin()
	caughtUp := false
	for ctx.Err() == nil {
		entry, wait, err := r.next()
		if err != nil {
			return err
		}
		if !caughtUp && (r.at >= r.past || entry.Position > r.past) {
			caughtUp = true
			s.CaughtUp()
		}
		if wait != nil {
			await(ctx, wait)
			continue
		}
		r.at = entry.Position
		s.Entry(entry.Position, entry.Event)
	}
	return ctx.Err()
}

// next returns the next entry, or what to wait for when there is none.
func (r *reading) next() (entry Entry, wait <-chan struct{}, err error) {
	log := r.conn.log
	log.mu.Lock()
	defer log.mu.Unlock()
	if err := r.conn.broken(); err != nil {
		return Entry{}, nil, err
	}
	if log.life != r.life {
		return Entry{}, nil, ErrReplaced
	}
	entry, found := log.next(r.at)
	if !found || r.conn.state == frozen {
		return Entry{}, log.changed, nil
	}
	entry.Event = clone(entry.Event)
	return entry, nil, nil
}
