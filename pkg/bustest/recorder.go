package bustest

import (
	"fmt"
	"sync"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/hotswap"
)

// Entry is one entry as a Recorder got it.
type Entry struct {
	Position hotswap.Position
	Event    hotswap.AdapterSwitchEvent
}

// Read is what a Recorder was told between Begin and Lost.
type Read struct {
	Entries []Entry
	// Past counts the entries that came before CaughtUp.
	Past     int
	CaughtUp bool
}

// Recorder is a Subscriber that keeps what it is told, checks that the calls
// come in the order that the port promises, and can be waited on. The zero value
// is ready; it is safe for concurrent use.
type Recorder struct {
	// OnEntry, if set, is called with each entry before it is recorded. A
	// consumer becomes slow by taking its time here.
	OnEntry func(Entry)

	mu       sync.Mutex
	reads    []Read
	reading  bool
	lost     []error
	offences []string
	changed  chan struct{}
	inCall   sync.Mutex
}

// Begin implements hotswap.Subscriber.
func (r *Recorder) Begin() {
	defer r.enter("Begin")()
	r.record(func() {
		r.check(!r.reading, "Begin inside a read")
		r.reading = true
		r.reads = append(r.reads, Read{})
	})
}

// Entry implements hotswap.Subscriber.
func (r *Recorder) Entry(p hotswap.Position, event hotswap.AdapterSwitchEvent) {
	defer r.enter("Entry")()
	if r.OnEntry != nil {
		r.OnEntry(Entry{p, event})
	}
	r.record(func() {
		r.check(r.reading, "Entry outside a read")
		r.check(p > 0, "position 0")
		if read := r.last(); read != nil {
			if n := len(read.Entries); n > 0 {
				before := read.Entries[n-1].Position
				r.check(p > before, fmt.Sprintf("position %d after %d", p, before))
			}
			read.Entries = append(read.Entries, Entry{p, event})
		}
	})
}

// CaughtUp implements hotswap.Subscriber.
func (r *Recorder) CaughtUp() {
	defer r.enter("CaughtUp")()
	r.record(func() {
		r.check(r.reading, "CaughtUp outside a read")
		if read := r.last(); read != nil {
			r.check(!read.CaughtUp, "CaughtUp twice in a read")
			read.CaughtUp, read.Past = true, len(read.Entries)
		}
	})
}

// Lost implements hotswap.Subscriber.
func (r *Recorder) Lost(err error) {
	defer r.enter("Lost")()
	r.record(func() {
		r.check(r.reading || len(r.reads) == 0 && len(r.lost) == 0, "Lost twice for one loss")
		r.check(err != nil, "Lost without an error")
		r.reading = false
		r.lost = append(r.lost, err)
	})
}

// enter notes two calls at a time, which the port excludes.
func (r *Recorder) enter(call string) (leave func()) {
	if !r.inCall.TryLock() {
		r.record(func() { r.check(false, call+" during another call") })
		return func() {}
	}
	return r.inCall.Unlock
}

func (r *Recorder) record(f func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	f()
	if r.changed != nil {
		close(r.changed)
		r.changed = nil
	}
}

func (r *Recorder) check(ok bool, offence string) {
	if !ok {
		r.offences = append(r.offences, offence)
	}
}

func (r *Recorder) last() *Read {
	if len(r.reads) == 0 {
		return nil
	}
	return &r.reads[len(r.reads)-1]
}
