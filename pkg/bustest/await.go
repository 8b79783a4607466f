package bustest

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

// Patience bounds every wait of this package. It says when a test has failed,
// not how fast a bus must be.
const Patience = 60 * time.Second

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
