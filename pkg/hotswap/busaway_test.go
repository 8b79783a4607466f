package hotswap_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/hotswap"
	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/membus"
)

// Whatever state the bus is in, a call takes as long as its adapters do, and the
// instance that meets a failure is on the next adapter at once.
func TestI7_ARequestNeverWaitsForTheBus(t *testing.T) {
	gate := make(chan struct{})
	for _, test := range []struct {
		name string
		bus  func(*membus.Conn) hotswap.Bus
		then func(*membus.Conn) // after the start
	}{
		{"well", conn, func(*membus.Conn) {}},
		{"cut", conn, (*membus.Conn).Cut},
		{"frozen", conn, (*membus.Conn).Freeze},
		{"closed for good", conn, func(c *membus.Conn) { _ = c.Close() }},
		{"losing confirmations", conn, func(c *membus.Conn) { c.LoseConfirms(true) }},
		{"absent at the start", func(c *membus.Conn) hotswap.Bus { c.Cut(); return c }, func(*membus.Conn) {}},
		{"silent at the start", func(c *membus.Conn) hotswap.Bus { c.Freeze(); return c }, func(*membus.Conn) {}},
		{"blocked, and deaf to contexts", func(*membus.Conn) hotswap.Bus { return stubborn{gate} }, func(*membus.Conn) {}},
		{"refusing", func(*membus.Conn) hotswap.Bus { return refusing{} }, func(*membus.Conn) {}},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				gate = make(chan struct{})
				defer func() { close(gate) }()
				c := membus.New().Connect()
				primary := newUpstream(answers("Chien"))
				in, err := hotswap.New(test.bus(c), hotswap.Settings{ReplayWait: time.Second},
					hotswap.Adapter[animal]{Name: "primary", Port: primary},
					hotswap.Adapter[animal]{Name: "fallback", Port: newUpstream(answers("Chat"))})
				if err != nil {
					t.Fatal(err)
				}
				defer func() { _ = in.Close() }()
				m := &member{Instance: in, conn: c}
				m.must(t, "Chien") // before it is ready, too
				<-in.Ready()
				test.then(c)
				start := time.Now()
				m.must(t, "Chien")
				primary.becomes(hangs)
				m.must(t, "Chat")
				m.isOn(t, "fallback")
				m.must(t, "Chat")
				if err := in.Switch("primary", false); err != nil {
					t.Error(err)
				}
				m.isOn(t, "primary")
				if took := time.Since(start); took != 3*time.Second {
					t.Errorf("took %v, want the one timeout", took)
				}
			})
		})
	}
}

func conn(c *membus.Conn) hotswap.Bus { return c }

// refusing is a bus that gives up at once.
type refusing struct{}

func (refusing) Publish(context.Context, hotswap.AdapterSwitchEvent) error {
	return hotswap.ErrUnavailable
}
func (refusing) Subscribe(context.Context, hotswap.Subscriber) error { return nil }

// An instance is ready without the bus after a bounded wait, and says so.
func TestReady_WithoutTheBus(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := membus.New().Connect()
		c.Cut()
		seen := new(recorder)
		in, err := hotswap.New(c, hotswap.Settings{Observers: []hotswap.Observer{seen}},
			hotswap.Adapter[animal]{Name: "primary", Port: newUpstream(answers("Chien"))},
			hotswap.Adapter[animal]{Name: "fallback", Port: newUpstream(answers("Chat"))})
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		start := time.Now()
		<-in.Ready()
		if took := time.Since(start); took != 5*time.Second {
			t.Errorf("ready after %v, want the default of 5s", took)
		}
		synctest.Wait()
		if a := observed[hotswap.BusAway](seen); len(a) != 1 || a[0].Waited != 5*time.Second {
			t.Errorf("observed %+v", a)
		}
		if s := in.Status(); s.Connected {
			t.Errorf("status is %+v", s)
		}
	})
}

// A bus that gives up leaves the instance to decide alone, and it knows.
func TestBusThatGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := join(t, membus.New(), hotswap.Settings{}, newUpstream(fails(err500)), newUpstream(answers("Chat")))
		_ = m.conn.Close()
		synctest.Wait()
		if s := m.Status(); s.Connected {
			t.Errorf("status is %+v", s)
		}
		l := observed[hotswap.BusLost](m.seen)
		if len(l) != 1 {
			t.Fatalf("observed %+v", l)
		}
		wantError(t, l[0].Err, hotswap.ErrUnavailable)
		wantError(t, l[0].Err, membus.ErrClosed)
		m.must(t, "Chat")
	})
}

// A writer swaps every millisecond under 1,000 concurrent callers: no call sees a
// half-made state, none is lost.
func TestSwapEveryMillisecondUnderAThousandCallers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		primary := newUpstream(takes(3*time.Millisecond, "primary"))
		fallback := newUpstream(takes(3*time.Millisecond, "fallback"))
		m := join(t, membus.New(), hotswap.Settings{}, primary, fallback)
		// The operation reports which adapter it was given and what it answered.
		whole := func(ctx context.Context, a animal) (bool, error) {
			answer, err := a.Ask(ctx)
			return a == animal(primary) && answer == "primary" || a == animal(fallback) && answer == "fallback", err
		}
		var callers sync.WaitGroup
		for i := range 1000 {
			callers.Go(func() {
				for range 5 {
					ok, err := hotswap.Call(t.Context(), m.Instance, hotswap.Mode(i%3), whole)
					if !ok || err != nil {
						t.Errorf("half-made or lost: %v, %v", ok, err)
					}
				}
			})
		}
		stop := make(chan struct{})
		var writer sync.WaitGroup
		writer.Go(func() {
			for i := 0; ; i++ {
				_ = m.Switch([]string{"fallback", "primary"}[i%2], false)
				select {
				case <-time.After(time.Millisecond):
				case <-stop:
					return
				}
			}
		})
		callers.Wait()
		close(stop)
		writer.Wait()
		synctest.Wait()
		if n := len(observed[hotswap.Answered](m.seen)) + int(m.Status().Dropped); n != 5000 {
			t.Errorf("%d answers, want 5000", n)
		}
		if n := len(observed[hotswap.Failed](m.seen)); n != 0 {
			t.Errorf("%d failures", n)
		}
		if n := len(observed[hotswap.Rescued](m.seen)); n == 0 {
			t.Error("no call was rescued")
		}
	})
}
