package bustest

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/hotswap"
)

// Patience bounds every wait of this package. It says when a test has failed,
// not how fast a bus must be.
const Patience = 60 * time.Second

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

// Last returns a copy of the newest read.
func (r *Recorder) Last() Read {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.reads) == 0 {
		return Read{}
	}
	read := r.reads[len(r.reads)-1]
	read.Entries = slices.Clone(read.Entries)
	return read
}

// Losses returns the errors that Lost brought.
func (r *Recorder) Losses() []error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.lost)
}

// Reads returns how many reads began.
func (r *Recorder) Reads() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.reads)
}

// Live reports whether a read is on that has caught up.
func (r *Recorder) Live() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.reading && r.reads[len(r.reads)-1].CaughtUp
}

// Await waits until ok holds, and fails the test when it never does. It looks
// again after each call of the bus.
func (r *Recorder) Await(t testing.TB, what string, ok func() bool) {
	t.Helper()
	timeout := time.After(Patience)
	for {
		changed := r.watch()
		if ok() {
			return
		}
		select {
		case <-changed:
		case <-timeout:
			t.Fatalf("waited in vain for %s; last read: %+v, losses: %v", what, summary(r.Last()), r.Losses())
		}
	}
}

// AwaitLive waits until a read has caught up.
func (r *Recorder) AwaitLive(t testing.TB) {
	t.Helper()
	r.Await(t, "the end of the past", r.Live)
}

// AwaitEntries waits until the newest read has brought n entries, and returns
// them.
func (r *Recorder) AwaitEntries(t testing.TB, n int) []Entry {
	t.Helper()
	r.Await(t, fmt.Sprintf("%d entries", n), func() bool { return len(r.Last().Entries) >= n })
	return r.Last().Entries
}

// Verify fails the test if the bus broke a promise of the port.
func (r *Recorder) Verify(t testing.TB) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, offence := range r.offences {
		t.Errorf("the bus broke the order of calls: %s", offence)
	}
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

func (r *Recorder) watch() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.changed == nil {
		r.changed = make(chan struct{})
	}
	return r.changed
}

func summary(read Read) string {
	return fmt.Sprintf("%d entries, %d of them past, caught up: %t", len(read.Entries), read.Past, read.CaughtUp)
}
