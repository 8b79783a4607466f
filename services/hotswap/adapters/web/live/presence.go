package live

import (
	"context"
	"time"
)

// sendBeacons says that somebody watches.
func (l *Live) sendBeacons(ctx context.Context) {
	beacon := encode(call{From: l.settings.ID})
	for ctx.Err() == nil {
		wait := beaconEvery
		if l.settings.Gossip.Tell(ctx, topicWatch, beacon) != nil {
			wait /= 4 // the bus was away: be seen soon after it is back
		}
		pause(ctx, wait)
	}
}

// heardCall takes what is addressed to all instances.
func (l *Live) heardCall(message []byte) {
	c, ok := parseCall(message)
	switch {
	case !ok:
		l.complain("call")
	case c.From == l.settings.ID:
	case c.Order != nil:
		l.obey(*c.Order)
	default:
		l.mu.Lock()
		_, known := l.heard[c.From]
		if known || len(l.heard) < maxLanes {
			l.heard[c.From] = time.Now().Add(beaconExpiry)
		}
		l.mu.Unlock()
		if !known {
			l.watched.ring()
		}
	}
}

// heardReport takes what another instance says of itself.
func (l *Live) heardReport(message []byte) {
	r, err := parseReport(message)
	switch {
	case err != nil:
		l.complain("report: " + err.Error())
	case r.ID != l.settings.ID:
		l.board.hear(r)
	}
}

// complain says once that something on the gossip channel can't be read.
func (l *Live) complain(what string) {
	l.mu.Lock()
	first := !l.complained
	l.complained = true
	l.mu.Unlock()
	if first {
		l.settings.Log.Debug("gossip dropped, further ones silently", "what", what)
	}
}

// reportWhileWatched tells reports to other watchers, and sleeps while there are
// none.
func (l *Live) reportWhileWatched(ctx context.Context) {
	for {
		select {
		case <-l.watched:
		case <-ctx.Done():
			return
		}
		l.tellReports(ctx)
	}
}

// tellReports goes on until the last watcher is silent. A new one is first told
// every switch that is remembered.
func (l *Live) tellReports(ctx context.Context) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	all := true
	l.follow(ctx, func() {
		select {
		case <-l.watched:
			all = true
		default:
		}
		if !l.isWatched() {
			stop()
			return
		}
		while := repeatApplied
		if all {
			while = 0
		}
		if l.settings.Gossip.Tell(ctx, topicReport, encode(l.report(while))) == nil {
			all = false
		}
	})
}

func (l *Live) isWatched() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for from, until := range l.heard {
		if time.Now().After(until) {
			delete(l.heard, from)
		}
	}
	return len(l.heard) > 0
}
