package hotswap_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/hotswap"
	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/membus"
)

// A row of calls to the primary: o is answered, x fails, a is an error that is
// an answer, and a space is a second. S marks the call that makes the switch.
func TestTrip(t *testing.T) {
	for _, test := range []struct {
		name  string
		trip  hotswap.Trip
		calls string
	}{
		{"the first failure decides", hotswap.Trip{}, "oooS"},
		{"three in a row", hotswap.Trip{Failures: 3}, "oxxS"},
		{"a success ends the row", hotswap.Trip{Failures: 3}, "xxoxxoxxS"},
		{"so does an answer", hotswap.Trip{Failures: 3}, "xxaxxS"},
		{"time does not", hotswap.Trip{Failures: 3}, "x     x     S"},
		{"every second call", hotswap.Trip{Rate: 0.5, MinCalls: 4}, "oxoS"},
		{"not before there are enough calls", hotswap.Trip{Rate: 0.5, MinCalls: 6}, "xxxxxS"},
		{"ten calls by default", hotswap.Trip{Rate: 0.1}, "xxxxxxxxxS"},
		{"below the rate", hotswap.Trip{Rate: 0.5, MinCalls: 4}, "oooxxoooxxoxx"},
		{"a rate does not look at rows", hotswap.Trip{Failures: 1, Rate: 0.5, MinCalls: 4}, "oxoS"},
		{"answers count as calls", hotswap.Trip{Rate: 0.5, MinCalls: 4}, "axaS"},
		{"what is older than the window is forgotten", hotswap.Trip{Rate: 0.5, MinCalls: 4, Window: 5 * time.Second}, "xxx      oooxxS"},
		{"what is within it is not", hotswap.Trip{Rate: 0.5, MinCalls: 4, Window: 8 * time.Second}, "xxx      S"},
		{"ten seconds by default", hotswap.Trip{Rate: 0.5, MinCalls: 4}, "xxx         S"},
		{"and no more", hotswap.Trip{Rate: 0.5, MinCalls: 4}, "xxx           oooxxS"},
		{"always", hotswap.Trip{Rate: 1, MinCalls: 3}, "oxxxxx          xxS"},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				primary := newUpstream(answers("Chien"))
				m := joinUnseen(t, hotswap.Settings{Trip: test.trip}, primary, newUpstream(answers("Chat")))
				// The calls sit in the middle of a slice of the window, not at its edge.
				time.Sleep(50 * time.Millisecond)
				for i, c := range test.calls {
					if c == ' ' {
						time.Sleep(time.Second)
						continue
					}
					primary.becomes(map[rune]behaviour{'o': answers("Chien"), 'a': fails(err404), 'x': fails(err500), 'S': fails(err500)}[c])
					_, _ = m.call(t.Context())
					if moved := m.Registry().Epoch() > 1; moved != (c == 'S') {
						t.Fatalf("after %q: moved is %v", test.calls[:i+1], moved)
					}
				}
			})
		})
	}
}

// Failures that do not decide are counted in a row, for observers.
func TestTrip_InRow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		primary := newUpstream(fails(err500))
		m := join(t, membus.New(), hotswap.Settings{Trip: hotswap.Trip{Failures: 4}}, primary, newUpstream(answers("Chat")))
		for _, c := range "xxoxxxx" {
			primary.becomes(map[rune]behaviour{'o': answers("Chien"), 'x': fails(err500)}[c])
			_, _ = m.call(t.Context())
		}
		synctest.Wait()
		var rows []string
		for _, f := range observed[hotswap.Failed](m.seen) {
			rows = append(rows, string(rune('0'+f.InRow)))
		}
		if got := strings.Join(rows, " "); got != "1 2 1 2 3 4" {
			t.Errorf("rows are %s", got)
		}
	})
}

// Going back to an adapter begins a new count.
func TestTrip_CountsOneStay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		primary := newUpstream(fails(err500))
		m := join(t, membus.New(), hotswap.Settings{Trip: hotswap.Trip{Failures: 2}}, primary, newUpstream(answers("Chat")))
		m.must(t, "Chat")
		awayAndBack(t, m)
		m.must(t, "Chat")
		m.isOn(t, "primary")
		m.must(t, "Chat")
		m.isOn(t, "fallback")
	})
}
