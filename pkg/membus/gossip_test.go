package membus_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/membus"
)

// Whoever hears a topic when something is told gets it, the teller included;
// others, and those who come later, do not.
func TestGossip(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := membus.New()
		a, b := log.Connect(), log.Connect()
		ctx, cancel := context.WithCancel(t.Context())
		var heardA, heardB, other []string
		hear := func(c *membus.Conn, topic string, heard *[]string) {
			go c.Hear(ctx, topic, func(m []byte) { *heard = append(*heard, string(m)) }) //nolint:errcheck // ends with ctx
		}
		if err := a.Tell(ctx, "topic", []byte("too early")); err != nil {
			t.Fatal(err)
		}
		hear(a, "topic", &heardA)
		hear(b, "topic", &heardB)
		hear(b, "other", &other)
		synctest.Wait()
		b.Cut()
		if err := a.Tell(ctx, "topic", []byte("hello")); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if len(heardA) != 1 || len(heardB) != 1 || heardB[0] != "hello" || len(other) != 0 {
			t.Errorf("heard: %q, %q and on another topic %q", heardA, heardB, other)
		}
		cancel()
		synctest.Wait()
	})
}

// A listener that does not take its messages loses some, and holds up nobody.
func TestGossipDoesNotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn := membus.New().Connect()
		ctx, cancel := context.WithCancel(t.Context())
		heard, release := 0, make(chan struct{})
		go conn.Hear(ctx, "topic", func([]byte) { heard++; <-release }) //nolint:errcheck // ends with ctx
		synctest.Wait()
		for range 5000 {
			conn.Tell(ctx, "topic", []byte("x")) //nolint:errcheck // checked below by what is heard
		}
		close(release)
		synctest.Wait()
		if heard == 0 || heard >= 5000 {
			t.Errorf("heard %d of 5000", heard)
		}
		cancel()
		synctest.Wait()
	})
}

func TestGossipEndsWithTheConnection(t *testing.T) {
	conn := membus.New().Connect()
	ended := make(chan error, 1)
	go func() { ended <- conn.Hear(t.Context(), "topic", func([]byte) {}) }()
	conn.Close()
	if err := <-ended; !errors.Is(err, membus.ErrClosed) {
		t.Errorf("Hear: %v", err)
	}
	if err := conn.Tell(t.Context(), "topic", nil); !errors.Is(err, membus.ErrClosed) {
		t.Errorf("Tell: %v", err)
	}
}
