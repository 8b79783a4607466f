package live

import (
	"errors"
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

func everything() []byte { return []byte("everything") }

func read(r *Reader) (got []string) {
	for {
		select {
		case m, open := <-r.C:
			if !open {
				return append(got, "end")
			}
			got = append(got, string(m.Data))
		default:
			return got
		}
	}
}

// Whatever a reader has seen, it misses nothing: it resumes with what came since,
// or is told everything.
func TestFeedResumes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := NewFeed()
		published := rapid.IntRange(0, 3*maxKept).Draw(t, "published")
		for n := range published {
			f.Publish(fmt.Append(nil, n+1))
		}
		seen := rapid.IntRange(0, 3*maxKept).Draw(t, "seen")
		r, err := f.Join(f.id(uint64(seen)), everything)
		if err != nil {
			t.Fatal(err)
		}
		got := read(r)
		if seen > published || published-seen > maxKept {
			if len(got) != 1 || got[0] != "everything" {
				t.Fatalf("seen %d of %d: got %q, want everything", seen, published, got)
			}
			return
		}
		if len(got) != published-seen {
			t.Fatalf("seen %d of %d: got %d messages", seen, published, len(got))
		}
		for i, m := range got {
			if want := fmt.Sprint(seen + i + 1); m != want {
				t.Fatalf("message %d is %s, want %s", i, m, want)
			}
		}
	})
}

func TestFeedTellsEverythingToStrangers(t *testing.T) {
	f := NewFeed()
	f.Publish([]byte("1"))
	for _, last := range []string{"", "nonsense", NewFeed().id(1), f.run, f.run + "-", f.run + "-x", f.run + "--1", f.run + "-99999999999999999999"} {
		r, err := f.Join(last, everything)
		if err != nil {
			t.Fatal(err)
		}
		if got := read(r); len(got) != 1 || got[0] != "everything" {
			t.Errorf("last id %q: got %q", last, got)
		}
	}
}

// A reader that does not read is dropped within a bound. The others, and the
// publisher, do not notice.
func TestSlowReaderIsDropped(t *testing.T) {
	f := NewFeed()
	slow, _ := f.Join("", everything)
	quick, _ := f.Join("", everything)
	for n := range maxKept + maxBehind {
		f.Publish([]byte("x"))
		if got := read(quick); len(got) == 0 || got[len(got)-1] == "end" {
			t.Fatalf("the quick reader got %q after %d messages", got, n+1)
		}
	}
	if f.Readers() != 1 {
		t.Errorf("%d readers left, want the quick one", f.Readers())
	}
	if got := read(slow); got[len(got)-1] != "end" {
		t.Error("the slow reader was not told that it is dropped")
	}
	slow.Leave()
}

func TestFeedCloses(t *testing.T) {
	f := NewFeed()
	r, _ := f.Join("", everything)
	f.Close()
	f.Close()
	if got := read(r); got[len(got)-1] != "end" {
		t.Errorf("got %q, want an end", got)
	}
	if _, err := f.Join("", everything); !errors.Is(err, ErrStopped) {
		t.Errorf("joining a closed feed: %v", err)
	}
	f.Publish([]byte("nobody reads this"))
}

func TestFeedIsBounded(t *testing.T) {
	f := NewFeed()
	for range maxReaders {
		if _, err := f.Join("", everything); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := f.Join("", everything); !errors.Is(err, ErrFull) {
		t.Errorf("one reader more: %v", err)
	}
}
