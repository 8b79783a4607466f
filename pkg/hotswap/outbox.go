package hotswap

import (
	"context"
	"math/rand/v2"
	"time"
)

// Bounds of the outbox: how many notes wait, how long one publish may take, and
// how long the outbox rests after one that failed.
const (
	maxNotes       = 16
	publishTimeout = 5 * time.Second
	minRest        = 50 * time.Millisecond
	maxRest        = 2 * time.Second
)

// note queues an entry that may be lost: a vote, which is cast again, or news
// that others can do without. The caller holds mu.
func (c *coordinator[P]) note(e AdapterSwitchEvent) {
	if c.live && len(c.notes) < maxNotes {
		c.notes = append(c.notes, e)
		wake(c.outbox)
	}
}

// publish is the outbox: it hands the newest decision to the log, again until it
// comes back from there or gives way, and never while this instance is cut off,
// because the decision is then settled by what the log says on return.
func (c *coordinator[P]) publish(ctx context.Context, bus Bus) {
	rest := minRest
	for ctx.Err() == nil {
		e, ok := c.next()
		if !ok {
			select {
			case <-c.outbox:
			case <-ctx.Done():
			}
			continue
		}
		if err := publishOne(ctx, bus, e); err == nil {
			rest = minRest
		} else if ctx.Err() == nil {
			c.failedToPublish(e, err)
			sleep(ctx, rest/2+rand.N(rest))
			rest = min(2*rest, maxRest)
		}
	}
}

func publishOne(ctx context.Context, bus Bus, e AdapterSwitchEvent) error {
	ctx, cancel := context.WithTimeout(ctx, publishTimeout)
	defer cancel()
	return bus.Publish(ctx, e)
}

// next takes what is to be published: the decision if it was not sent yet, then
// the notes in their order.
func (c *coordinator[P]) next() (AdapterSwitchEvent, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.live {
		c.notes = nil
		return AdapterSwitchEvent{}, false
	}
	if c.pending != nil && (!c.pending.sent || c.pending.resend) {
		c.pending.sent, c.pending.resend = true, false
		return c.pending.event, true
	}
	if len(c.notes) > 0 {
		e := c.notes[0]
		c.notes = c.notes[1:]
		return e, true
	}
	return AdapterSwitchEvent{}, false
}

// failedToPublish has the decision sent again. The log may hold it all the same,
// which is harmless.
func (c *coordinator[P]) failedToPublish(e AdapterSwitchEvent, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.observers.emit(PublishFailed{Err: err})
	if c.pending != nil && c.pending.event.ID == e.ID {
		c.pending.resend = true
	}
}

// sleep waits for d or for the end of ctx, and reports whether d passed.
func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
