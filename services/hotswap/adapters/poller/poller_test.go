package poller_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/service"
	"github.com/adapter-hotswap/adapter-hotswap-go/services/hotswap/adapters/poller"
)

type animals func(context.Context) (string, error)

func (a animals) Animal(ctx context.Context) (string, error) { return a(ctx) }

var silent = slog.New(slog.NewTextHandler(io.Discard, nil))

// run polls for the given time of the bubble's clock.
func run(t *testing.T, p *poller.Poller, d time.Duration) {
	ctx, cancel := context.WithTimeout(t.Context(), d)
	defer cancel()
	p.Run(ctx)
}

func TestOnePollPerInterval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		polls := 0
		count := animals(func(context.Context) (string, error) { polls++; return "Chien", nil })
		run(t, poller.New(count, time.Second, 0, silent), 10500*time.Millisecond)
		if polls != 10 {
			t.Errorf("%d polls in 10 s", polls)
		}
	})
}

func TestASlowAnswerDelaysOnlyItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		polls := 0
		slow := animals(func(context.Context) (string, error) {
			polls++
			time.Sleep(3500 * time.Millisecond)
			return "Chat", nil
		})
		run(t, poller.New(slow, time.Second, 0, silent), 8*time.Second)
		if polls != 2 {
			t.Errorf("%d polls of 3.5 s in 8 s, want 2: at 1 s and at 5 s", polls)
		}
	})
}

func TestZeroIsOff(t *testing.T) {
	none := animals(func(context.Context) (string, error) {
		t.Error("polled")
		return "", nil
	})
	poller.New(none, 0, 0, silent).Run(t.Context())
}

func TestNoAnswerIsOneLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var text bytes.Buffer
		failing := animals(func(context.Context) (string, error) { return "", errors.New("every adapter failed:\nboth") })
		run(t, poller.New(failing, time.Second, 0, service.NewLogger(&text, "demo", "")), 1500*time.Millisecond)
		if got := text.String(); strings.Count(got, "\n") != 1 || !strings.HasPrefix(got, "NO RESPONSE: every adapter failed") {
			t.Errorf("got %q", got)
		}
	})
}

func TestTheEndIsNoFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var text bytes.Buffer
		hanging := animals(func(ctx context.Context) (string, error) {
			<-ctx.Done()
			return "", ctx.Err()
		})
		run(t, poller.New(hanging, time.Second, 0, service.NewLogger(&text, "demo", "")), 5*time.Second)
		if text.Len() > 0 {
			t.Errorf("got %q", text.String())
		}
	})
}

func TestPhasesKeepInstancesApart(t *testing.T) {
	for number, want := range map[int]float64{1: 0, 2: 0.5, 3: 0.25, 4: 0.75, 5: 0.125, 6: 0.625} {
		if got := poller.Phase(number); got != want {
			t.Errorf("instance %d: %v, want %v", number, got, want)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		at := func(phase float64) (when time.Time) {
			once := animals(func(context.Context) (string, error) { when = time.Now(); return "Chien", nil })
			run(t, poller.New(once, time.Second, phase, silent), 1200*time.Millisecond)
			return when
		}
		if one, two := at(poller.Phase(1)).UnixMilli()%1000, at(poller.Phase(2)).UnixMilli()%1000; one != 0 || two != 500 {
			t.Errorf("polled at %d ms and %d ms of the second", one, two)
		}
	})
}
