package hotswap

import (
	"context"
	"math/rand/v2"
	"slices"
	"time"
)

// Bounds of the outbox: how long one publish may take, and how long the outbox
// rests after one that failed.
const (
	publishTimeout = 5 * time.Second
	minRest        = 50 * time.Millisecond
	maxRest        = 2 * time.Second
)

// note queues an entry that a later one makes needless: a vote or its withdrawal
// (one slot), or an announcement (another). While the log is away nothing is
// queued, because what is to be said then depends on what it says on return. The
// caller holds mu.
func (c *coordinator[P]) note(e AdapterSwitchEvent) {
	if !c.live {
		return
	}
	c.notes = slices.DeleteFunc(c.notes, func(n AdapterSwitchEvent) bool { return sameSlot(n, e) })
	c.notes = append(c.notes, e)
	wake(c.outbox)
}

func sameSlot(a, b AdapterSwitchEvent) bool {
	return (a.Kind == KindSwitch) == (b.Kind == KindSwitch)
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
// the notes in their order, except those that a switch has overtaken, or is about
// to.
func (c *coordinator[P]) next() (AdapterSwitchEvent, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.live {
		return AdapterSwitchEvent{}, false
	}
	if c.pending != nil && (!c.pending.sent || c.pending.resend) {
		c.pending.sent, c.pending.resend = true, false
		return c.pending.event, true
	}
	for len(c.notes) > 0 {
		e := c.notes[0]
		if c.notes = c.notes[1:]; !c.overtaken(e) {
			return e, true
		}
	}
	return AdapterSwitchEvent{}, false
}

// failedToPublish has an entry sent again, unless a later one has taken its
// place. The log may hold it all the same, which is harmless.
func (c *coordinator[P]) failedToPublish(e AdapterSwitchEvent, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.observers.emit(PublishFailed{Err: err})
	if c.pending != nil && c.pending.event.ID == e.ID {
		c.pending.resend = true
		return
	}
	newer := slices.ContainsFunc(c.notes, func(n AdapterSwitchEvent) bool { return sameSlot(n, e) })
	if c.live && !newer && !c.overtaken(e) {
		c.notes = append(c.notes, e)
	}
}

// overtaken reports whether a note, or a decision that another has replaced, says
// nothing any more. The caller holds mu.
func (c *coordinator[P]) overtaken(e AdapterSwitchEvent) bool {
	return *e.After < c.log.Position || e.Kind == KindSwitch && (c.pending != nil || e.Target != c.log.Adapter)
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
