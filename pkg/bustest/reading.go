package bustest

import (
	"reflect"
	"sync"
	"testing"
	"time"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/hotswap"
)

func testEmptyLog(t *testing.T, connect Connect) {
	a := Join(t, connect)
	a.AwaitLive(t)
	if n := len(a.Last().Entries); n != 0 {
		t.Errorf("an empty log brought %d entries", n)
	}
}

// The author is a reader like every other: it learns the position of its own
// event from the log.
func testFanOut(t *testing.T, connect Connect) {
	members := joinLive(t, connect, 3)
	members[0].Publish(t, Event("a", 1))
	for i, m := range members {
		if got := m.AwaitEntries(t, 1)[0].Event.ID; got != "a-1" {
			t.Errorf("member %d got %q", i, got)
		}
	}
	sameEntries(t, members)
}

func testEveryFieldArrives(t *testing.T, connect Connect) {
	members := joinLive(t, connect, 2)
	after := hotswap.Position(42)
	full := hotswap.AdapterSwitchEvent{
		ID: "full", Origin: "suite:a:0", Target: "fallback", Time: time.UnixMilli(1_700_000_000_123),
		After: &after, Reason: `timeout — "après" 3s`, Manual: true, Pinned: true,
		Quorum: 3, Window: 10 * time.Second, Ramp: 1500 * time.Millisecond,
	}
	for kind := hotswap.KindSwitch; kind <= hotswap.KindClaim; kind++ {
		full.Kind = kind
		members[0].Publish(t, full)
		entries := members[1].AwaitEntries(t, int(kind)+1)
		if got := entries[kind].Event; !equal(got, full) {
			t.Errorf("kind %d:\n got %+v\nwant %+v", kind, got, full)
		}
	}
	first := hotswap.Position(0)
	bare := Event("bare", 1)
	bare.After = &first
	members[0].Publish(t, bare)
	entries := members[1].AwaitEntries(t, int(hotswap.KindClaim)+2)
	if got := entries[len(entries)-1].Event; !equal(got, bare) {
		t.Errorf("bare event:\n got %+v\nwant %+v", got, bare)
	}
}

func testOneOrderForAll(t *testing.T, connect Connect) {
	const each = 50
	members := joinLive(t, connect, 4)
	var publishing sync.WaitGroup
	for i, m := range members {
		publishing.Go(func() {
			for n := range each {
				m.Publish(t, Event(string(rune('a'+i)), n))
			}
		})
	}
	publishing.Wait()
	for _, m := range members {
		m.AwaitEntries(t, each*len(members))
	}
	sameEntries(t, members)
}

func testDuplicates(t *testing.T, connect Connect) {
	members := joinLive(t, connect, 2)
	members[0].Publish(t, Event("a", 1))
	members[0].Publish(t, Event("a", 1))
	entries := members[1].AwaitEntries(t, 2)
	if entries[0].Event.ID != "a-1" || entries[1].Event.ID != "a-1" {
		t.Errorf("want the same event twice, got %+v", entries)
	}
}

// A subscriber that hangs in a call holds up neither the others nor a publisher,
// and misses nothing.
func testSlowConsumer(t *testing.T, connect Connect) {
	const n = 300
	hold, stuck := make(chan struct{}), make(chan struct{})
	release, isStuck := sync.OnceFunc(func() { close(hold) }), sync.OnceFunc(func() { close(stuck) })
	slow := JoinWith(t, connect, &Recorder{OnEntry: func(Entry) {
		isStuck()
		<-hold
	}})
	t.Cleanup(release)
	slow.AwaitLive(t)
	quick := Join(t, connect)
	quick.AwaitLive(t)

	for i := range n {
		quick.Publish(t, Event("a", i))
	}
	quick.AwaitEntries(t, n)
	<-stuck
	if got := len(slow.Last().Entries); got != 0 {
		t.Errorf("the slow consumer recorded %d entries while it hung", got)
	}
	release()
	slow.AwaitEntries(t, n)
	sameEntries(t, []*Subscribed{quick, slow})
}

// joinLive joins n members and waits until each is live.
func joinLive(t testing.TB, connect Connect, n int) []*Subscribed {
	t.Helper()
	members := make([]*Subscribed, n)
	for i := range members {
		members[i] = Join(t, connect)
	}
	for _, m := range members {
		m.AwaitLive(t)
	}
	return members
}

// sameEntries checks that every member's newest read brought the same.
func sameEntries(t testing.TB, members []*Subscribed) {
	t.Helper()
	want := members[0].Last().Entries
	for i, m := range members[1:] {
		got := m.Last().Entries
		if len(got) != len(want) {
			t.Fatalf("member %d has %d entries, member 0 has %d", i+1, len(got), len(want))
		}
		for n := range want {
			if got[n].Position != want[n].Position || got[n].Event.ID != want[n].Event.ID {
				t.Fatalf("entry %d differs: member %d has %s at %d, member 0 has %s at %d", n,
					i+1, got[n].Event.ID, got[n].Position, want[n].Event.ID, want[n].Position)
			}
		}
	}
}

func equal(a, b hotswap.AdapterSwitchEvent) bool {
	sameTime := a.Time.Equal(b.Time)
	a.Time, b.Time = time.Time{}, time.Time{}
	return sameTime && reflect.DeepEqual(a, b)
}
