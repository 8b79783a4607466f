package hotswap_test

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/hotswap"
	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/membus"
)

// Whatever one observer does, calls and switches go on, and the observer behind
// it is told everything.
func TestObserverHarmsNobody(t *testing.T) {
	var in *hotswap.Instance[animal]
	gate := make(chan struct{})
	for _, test := range []struct {
		name    string
		observe func(hotswap.Observation)
	}{
		{"that panics", func(hotswap.Observation) { panic("in the observer") }},
		{"that blocks", func(hotswap.Observation) { <-gate }},
		{"that is slow", func(hotswap.Observation) { time.Sleep(time.Hour) }},
		{"that calls back in", func(o hotswap.Observation) {
			if s, ok := o.(hotswap.Switched); ok && s.To == "fallback" {
				_, _ = hotswap.Call(context.Background(), in, hotswap.Repeatable, ask)
				_ = in.Status()
				_ = in.Switch("primary", false)
			}
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			defer quiet()()
			synctest.Test(t, func(t *testing.T) {
				gate = make(chan struct{})
				s := hotswap.Settings{Observers: []hotswap.Observer{hotswap.ObserverFunc(test.observe)}}
				m := join(t, membus.New(), s, newUpstream(answers("Chien")), newUpstream(answers("Chat")))
				in = m.Instance
				start := time.Now()
				for range 100 {
					m.must(t, "Chien")
				}
				if err := m.Switch("fallback", false); err != nil {
					t.Fatal(err)
				}
				if took := time.Since(start); took != 0 {
					t.Errorf("took %v", took)
				}
				synctest.Wait()
				if n := len(observed[hotswap.Answered](m.seen)); n < 100 || m.switched()[0] != "fallback" {
					t.Errorf("the other observer was told of %d answers and %q", n, m.switched())
				}
				close(gate)
				_ = m.Close()
				time.Sleep(200 * time.Hour) // until the slow one is done
			})
		})
	}
}

// quiet keeps what is logged on purpose out of the output, until it is undone.
func quiet() (undo func()) {
	before := slog.Default()
	slog.SetDefault(slog.New(slog.DiscardHandler))
	return func() { slog.SetDefault(before) }
}

func TestObserverPanics_Logged(t *testing.T) {
	before := slog.Default()
	defer slog.SetDefault(before)
	var out strings.Builder
	slog.SetDefault(slog.New(slog.NewTextHandler(&out, nil)))
	synctest.Test(t, func(t *testing.T) {
		s := hotswap.Settings{Observers: []hotswap.Observer{hotswap.ObserverFunc(func(o hotswap.Observation) {
			if _, ok := o.(hotswap.Answered); ok {
				panic("in the observer")
			}
		})}}
		m := join(t, membus.New(), s, newUpstream(answers("Chien")), newUpstream(answers("Chat")))
		m.must(t, "Chien")
		synctest.Wait()
		for _, part := range []string{"in the observer", "hotswap.Answered", "observers_test.go"} {
			if !strings.Contains(out.String(), part) {
				t.Errorf("logged %q, which does not say %q", out.String(), part)
			}
		}
	})
}

// An observer that falls far behind misses answers first; Status says how many
// observations it missed.
func TestObserverFallsBehind_AnswersAreDroppedFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := make(chan struct{})
		slow := new(recorder)
		s := hotswap.Settings{Observers: []hotswap.Observer{hotswap.ObserverFunc(func(o hotswap.Observation) {
			<-gate
			slow.Observe(o)
		})}}
		m := join(t, membus.New(), s, newUpstream(answers("Chien")), newUpstream(answers("Chat")))
		synctest.Wait() // the first observation is with the observer, the queue is empty
		for i := range 5000 {
			if i%1000 == 0 {
				synctest.Wait() // the member's own observer keeps up
			}
			m.must(t, "Chien")
		}
		if n := m.Status().Dropped; n != 5000-4096 {
			t.Errorf("%d dropped, want what is beyond 4096 answers", n)
		}
		if err := m.Switch("fallback", false); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		close(gate)
		synctest.Wait()
		if n := len(observed[hotswap.Answered](slow)); n != 4096 || len(observed[hotswap.Switched](slow)) != 1 {
			t.Errorf("told of %d answers and %d switches", n, len(observed[hotswap.Switched](slow)))
		}
	})
}

// Other observations are bounded too.
func TestObserverFallsBehind_TheQueueIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := make(chan struct{})
		s := hotswap.Settings{Trip: hotswap.Trip{Failures: 1 << 30},
			Observers: []hotswap.Observer{hotswap.ObserverFunc(func(hotswap.Observation) { <-gate })}}
		m := join(t, membus.New(), s, newUpstream(fails(err500)), newUpstream(fails(err500)))
		synctest.Wait()
		for i := range 5000 { // each fails twice
			if i%1000 == 0 {
				synctest.Wait() // the member's own observer keeps up
			}
			_, _ = m.call(t.Context())
		}
		if n := m.Status().Dropped; n != 10000-8192 {
			t.Errorf("%d dropped, want what is beyond 8192", n)
		}
		close(gate)
	})
}

// Observers are told in the order in which it happened: nothing of an activation
// before the switch that began it, and nothing after the one that ended it
// without saying so.
func TestObserversAreToldInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		primary, fallback := newUpstream(takes(time.Millisecond, "Chien")), newUpstream(takes(time.Millisecond/2, "Chat"))
		m := join(t, membus.New(), hotswap.Settings{}, primary, fallback)
		var calling sync.WaitGroup
		for i := range 100 {
			calling.Go(func() {
				for range 20 {
					_, _ = hotswap.Call(t.Context(), m.Instance, hotswap.Mode(i%3), ask)
				}
			})
		}
		for i := range 50 {
			_ = m.Switch([]string{"fallback", "primary"}[i%2], false)
			time.Sleep(time.Millisecond / 3)
		}
		calling.Wait()
		synctest.Wait()
		epoch, late := uint64(1), 0
		for _, o := range m.seen.all {
			switch o := o.(type) {
			case hotswap.Switched:
				if o.Epoch != epoch+1 {
					t.Fatalf("epoch %d follows %d", o.Epoch, epoch)
				}
				epoch = o.Epoch
			case hotswap.Answered:
				if o.Late != (o.Epoch != epoch) {
					t.Fatalf("in epoch %d: %+v", epoch, o)
				}
				if o.Late {
					late++
				}
			}
		}
		if epoch != 51 || late == 0 {
			t.Errorf("ended in epoch %d with %d late answers", epoch, late)
		}
	})
}

// A decision is told as what it comes from, what it is, what it does.
func TestObserversAreToldTheStory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := join(t, membus.New(), hotswap.Settings{ID: "one"}, newUpstream(hangs), newUpstream(answers("Chat")))
		synctest.Wait()
		m.seen.all = nil
		m.must(t, "Chat")
		synctest.Wait()
		want := []string{"Failed", "Decided", "Switched", "Answered", "Confirmed"}
		var got []string
		for _, o := range m.seen.all {
			switch o := o.(type) {
			case hotswap.Failed:
				got = append(got, "Failed")
				if o.Adapter != "primary" || o.Took != 3*time.Second || o.InRow != 1 || o.Stale || o.Aside {
					t.Errorf("%+v", o)
				}
			case hotswap.Decided:
				got = append(got, "Decided")
				if o.From != "primary" || o.Target != "fallback" || o.Cause != hotswap.CauseFailure || o.Reason != "timeout" || o.Event.Origin != "one" {
					t.Errorf("%+v", o)
				}
			case hotswap.Switched:
				got = append(got, "Switched")
				if o.From != "primary" || o.To != "fallback" || o.Epoch != 2 || o.Cause != hotswap.CauseFailure {
					t.Errorf("%+v", o)
				}
			case hotswap.Answered:
				got = append(got, "Answered")
				if o.Adapter != "fallback" || o.Result != "Chat" || o.Epoch != 2 {
					t.Errorf("%+v", o)
				}
			case hotswap.Confirmed:
				got = append(got, "Confirmed")
			}
		}
		if g, w := strings.Join(got, " "), strings.Join(want, " "); g != w && g != "Failed Decided Switched Confirmed Answered" {
			t.Errorf("told %s, want %s", g, w)
		}
	})
}

func TestCause_String(t *testing.T) {
	for c, want := range map[hotswap.Cause]string{
		hotswap.CauseFailure: "failure", hotswap.CauseRecovery: "recovery", hotswap.CauseManual: "manual",
		hotswap.CauseReceived: "received", hotswap.CauseReplayed: "replayed", hotswap.CauseContributed: "contributed",
		hotswap.CauseVoided: "voided", hotswap.CauseAlone: "alone",
	} {
		if got := c.String(); got != want {
			t.Errorf("%d is %q, want %q", c, got, want)
		}
	}
}
