// Package membus is a Bus without a broker: an ordered log that is a slice
// under a mutex. It serves one process, such as the demo, and tests, which can
// cut an instance off, freeze it, truncate the log or replace it by an empty
// one. It starts no goroutine of its own and works inside a testing/synctest
// bubble.
package membus

import (
	"sort"
	"sync"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/hotswap"
)

// Entry is one event at its place in the log.
type Entry struct {
	Position hotswap.Position
	Event    hotswap.AdapterSwitchEvent
}

// Log is what the instances share. It is safe for concurrent use. Make one with
// New, and one connection for each instance with Connect.
type Log struct {
	mu      sync.Mutex
	entries []Entry
	last    hotswap.Position
	limit   int
	// life counts the replacements: a read that began in an earlier life is over.
	life int
	// changed is closed, and replaced, whenever a reader has a reason to look.
	changed chan struct{}

	gossip gossip
}

// New makes an empty log that retains everything.
func New() *Log {
	return &Log{changed: make(chan struct{})}
}

// Connect makes the Bus of one instance.
func (l *Log) Connect() *Conn {
	return &Conn{log: l}
}

// Retain bounds the log to its n newest entries, now and from now on. 0 means
// no bound.
func (l *Log) Retain(n int) {
	l.change(func() {
		l.limit = n
		l.truncate()
	})
}

// Replace puts an empty log in the place of this one, as when a broker lost its
// disk. Every read ends and begins again, and positions start again at 1.
func (l *Log) Replace() {
	l.change(func() {
		l.entries, l.last = nil, 0
		l.life++
	})
}

// Entries returns a copy of what the log retains.
func (l *Log) Entries() []Entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	entries := make([]Entry, len(l.entries))
	for i, e := range l.entries {
		entries[i] = Entry{e.Position, clone(e.Event)}
	}
	return entries
}

// append adds event at the end. The caller holds the mutex.
func (l *Log) append(event hotswap.AdapterSwitchEvent) {
	l.last++
	l.entries = append(l.entries, Entry{l.last, clone(event)})
	l.truncate()
}

// truncate drops what exceeds the limit. The caller holds the mutex.
func (l *Log) truncate() {
	if excess := len(l.entries) - l.limit; l.limit > 0 && excess > 0 {
		l.entries = l.entries[excess:]
	}
}

// next finds the first entry behind position p. The caller holds the mutex.
func (l *Log) next(p hotswap.Position) (Entry, bool) {
	i := sort.Search(len(l.entries), func(i int) bool { return l.entries[i].Position > p })
	if i == len(l.entries) {
		return Entry{}, false
	}
	return l.entries[i], true
}

// change runs f under the mutex and wakes every reader.
func (l *Log) change(f func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f()
	l.wake()
}

// wake makes every reader look again. The caller holds the mutex.
func (l *Log) wake() {
	close(l.changed)
	l.changed = make(chan struct{})
}

// clone copies what event points to, so that no two instances share it.
func clone(event hotswap.AdapterSwitchEvent) hotswap.AdapterSwitchEvent {
	if event.After != nil {
		after := *event.After
		event.After = &after
	}
	return event
}
