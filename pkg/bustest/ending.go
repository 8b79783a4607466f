package bustest

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/hotswap"
)

func testContextEnds(t *testing.T, connect Connect) {
	m := connect(t)
	s := Subscribe(t, m, &Recorder{})
	s.AwaitLive(t)

	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if err := m.Bus.Publish(ended, Event("a", 1)); !errors.Is(err, context.Canceled) {
		t.Errorf("publish with an ended context: %v, want context.Canceled", err)
	}

	s.cancel()
	if err := s.AwaitReturn(t); !errors.Is(err, context.Canceled) {
		t.Errorf("Subscribe returned %v, want context.Canceled", err)
	}
	if losses := s.Losses(); len(losses) > 0 {
		t.Errorf("the end of the context was reported as a loss: %v", losses)
	}
}

func testClose(t *testing.T, connect Connect) {
	m := connect(t)
	s := Subscribe(t, m, &Recorder{})
	s.AwaitLive(t)
	for range 2 {
		if err := m.Bus.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	}
	if err := s.AwaitReturn(t); !errors.Is(err, hotswap.ErrUnavailable) {
		t.Errorf("Subscribe returned %v after Close, want ErrUnavailable", err)
	}
	if err := m.Bus.Publish(context.Background(), Event("a", 1)); !errors.Is(err, hotswap.ErrUnavailable) {
		t.Errorf("publish after Close: %v, want ErrUnavailable", err)
	}
	if err := m.Bus.Subscribe(context.Background(), &Recorder{}); !errors.Is(err, hotswap.ErrUnavailable) {
		t.Errorf("Subscribe after Close: %v, want ErrUnavailable", err)
	}
}

// Whatever a bus is doing, Close ends it; the suite's check for goroutines says
// whether all of it.
func testCloseAtRandomMoments(t *testing.T, connect Connect) {
	for range 20 {
		m := connect(t)
		s := Subscribe(t, m, &Recorder{})
		var publishing sync.WaitGroup
		publishing.Go(func() { publishUntilClosed(m.Bus) })
		timer := time.NewTimer(rand.N(60 * time.Millisecond))
		<-timer.C
		if err := m.Bus.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
		if err := s.AwaitReturn(t); !errors.Is(err, hotswap.ErrUnavailable) {
			t.Errorf("Subscribe returned %v after Close, want ErrUnavailable", err)
		}
		publishing.Wait()
	}
}

// publishUntilClosed publishes until it has failed some times in a row.
func publishUntilClosed(bus hotswap.Bus) {
	for n, failures := 0, 0; failures < 100; n++ {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		if bus.Publish(ctx, Event("a", n)) != nil {
			failures++
		}
		cancel()
	}
}
