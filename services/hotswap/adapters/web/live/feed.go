package live

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// ErrFull is returned when a feed has as many readers as it takes.
var ErrFull = errors.New("too many readers")

// ErrStopped is returned by a feed that was closed.
var ErrStopped = errors.New("the feed is closed")

// Bounds of a feed.
const (
	maxReaders = 1024
	// maxKept is how far back a reader can resume.
	maxKept = 64
	// maxBehind is how many messages a reader may have left unread before it is
	// dropped.
	maxBehind = 32
	// atOnce is how many readers are woken together, breath what lies between.
	atOnce = 4
	breath = time.Millisecond
)

// Message is one event of a feed. Readers share Data and must not change it.
type Message struct {
	// ID names the event, for a reader that comes back.
	ID   string
	Data []byte
}

// Feed hands messages to many readers and waits for none: a reader that falls
// behind is dropped. It keeps the last messages for readers that come back. It
// is safe for concurrent use.
type Feed struct {
	run string // tells the ids of this run from those of another

	mu      sync.Mutex
	last    uint64
	kept    []Message
	readers map[*Reader]struct{}
	closed  bool
}

// NewFeed makes a feed without readers.
func NewFeed() *Feed {
	random := make([]byte, 4)
	rand.Read(random)
	return &Feed{run: hex.EncodeToString(random), readers: map[*Reader]struct{}{}}
}

// Reader is one reader's place in a feed.
type Reader struct {
	// C brings messages. It is closed when the reader fell behind or the feed
	// ended.
	C <-chan Message

	c    chan Message
	feed *Feed
}

// Publish gives a message to every reader. It may be called by one goroutine at a
// time. Of many readers it wakes a few at once, with a pause between: requests
// that the service answers meanwhile need not queue behind all of them.
func (f *Feed) Publish(data []byte) {
	m, readers := f.keep(data)
	for some := range slices.Chunk(readers, atOnce) {
		f.give(m, some)
		if len(readers) > atOnce {
			time.Sleep(breath)
		}
	}
}

// keep adds a message, and returns it with those who read now. Whoever joins
// later finds it among the kept ones.
func (f *Feed) keep(data []byte) (Message, []*Reader) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.last++
	m := Message{ID: f.id(f.last), Data: data}
	if len(f.kept) == maxKept {
		f.kept = append(f.kept[:0], f.kept[1:]...)
	}
	f.kept = append(f.kept, m)
	return m, slices.Collect(maps.Keys(f.readers))
}

func (f *Feed) give(m Message, readers []*Reader) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, r := range readers {
		if _, reading := f.readers[r]; !reading {
			continue
		}
		select {
		case r.c <- m:
		default:
			f.drop(r)
		}
	}
}

func (f *Feed) id(n uint64) string { return f.run + "-" + strconv.FormatUint(n, 10) }

// Join adds a reader. If last is the id of a message from which on nothing is
// lost, the reader gets what it missed; otherwise it gets a message with first
// as its data.
func (f *Feed) Join(last string, first func() []byte) (*Reader, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.closed:
		return nil, ErrStopped
	case len(f.readers) >= maxReaders:
		return nil, ErrFull
	}
	c := make(chan Message, maxKept+maxBehind)
	r := &Reader{C: c, c: c, feed: f}
	missed, ok := f.since(last)
	if !ok {
		missed = []Message{{ID: f.id(f.last), Data: first()}}
	}
	for _, m := range missed {
		c <- m
	}
	f.readers[r] = struct{}{}
	return r, nil
}

// since returns the messages after last, and whether that is known.
func (f *Feed) since(last string) ([]Message, bool) {
	number, ok := strings.CutPrefix(last, f.run+"-")
	n, err := strconv.ParseUint(number, 10, 64)
	if !ok || err != nil || n > f.last || f.last-n > uint64(len(f.kept)) {
		return nil, false
	}
	return f.kept[len(f.kept)-int(f.last-n):], true
}

// Leave ends the reading. It may be called again.
func (r *Reader) Leave() {
	r.feed.mu.Lock()
	defer r.feed.mu.Unlock()
	r.feed.drop(r)
}

// drop needs the lock.
func (f *Feed) drop(r *Reader) {
	if _, reading := f.readers[r]; reading {
		delete(f.readers, r)
		close(r.c)
	}
}

// Close ends every reader, and refuses later ones.
func (f *Feed) Close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	for r := range f.readers {
		f.drop(r)
	}
}

// Readers counts the readers.
func (f *Feed) Readers() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.readers)
}
