package flaky

import (
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"
)

var standardCycle = cycle{healthyFor: 15 * time.Second, failingFor: 10 * time.Second, fault: newFault(Timeout)}

func TestEachChangeOfFaultIsALineOfTheLog(t *testing.T) {
	for _, c := range []struct {
		name  string
		cycle cycle
		then  func(*schedule)
		want  string
	}{
		{"the cycle, healthy first", standardCycle, func(*schedule) { time.Sleep(50 * time.Second) },
			`0s FAULT: none for 15s
15s FAULT: timeout for 10s
25s FAULT: none for 15s
40s FAULT: timeout for 10s
50s FAULT: none for 15s`},
		{"no cycle", cycle{healthyFor: time.Second, fault: newFault(Timeout)}, func(*schedule) { time.Sleep(time.Hour) },
			`0s FAULT: none until told otherwise`},
		{"a fault with an end, then the cycle afresh", standardCycle, func(s *schedule) {
			time.Sleep(20 * time.Second)
			s.set(Fault{Kind: Error, Status: 503}, 7*time.Second)
			time.Sleep(30 * time.Second)
		},
			`0s FAULT: none for 15s
15s FAULT: timeout for 10s
20s FAULT: error (HTTP 503) for 7s
27s FAULT: none for 15s
42s FAULT: timeout for 10s`},
		{"a fault until told otherwise", standardCycle, func(s *schedule) {
			s.set(newFault(Slow), 0)
			time.Sleep(time.Hour)
			s.resume()
		},
			`0s FAULT: none for 15s
0s FAULT: slow (500ms) until told otherwise
1h0m0s FAULT: none for 15s`},
		{"healthy by hand, with an end", standardCycle, func(s *schedule) {
			time.Sleep(16 * time.Second)
			s.set(newFault(None), 5*time.Second)
			time.Sleep(6 * time.Second)
		},
			`0s FAULT: none for 15s
15s FAULT: timeout for 10s
16s FAULT: none for 5s
21s FAULT: none for 15s`},
		{"a fault ordered twice lasts from the second time", standardCycle, func(s *schedule) {
			s.set(newFault(Reset), 10*time.Second)
			time.Sleep(9 * time.Second)
			s.set(newFault(Reset), 10*time.Second)
			time.Sleep(11 * time.Second)
		},
			`0s FAULT: none for 15s
0s FAULT: reset for 10s
9s FAULT: reset for 10s
19s FAULT: none for 15s`},
		{"nothing after a stop", standardCycle, func(s *schedule) {
			s.stop()
			time.Sleep(time.Hour)
			s.resume()
		},
			`0s FAULT: none for 15s`},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				diary, log := newDiary()
				s := newSchedule(c.cycle, log)
				s.resume()
				c.then(s)
				synctest.Wait()
				s.stop()
				if got := diary.String(); got != c.want {
					t.Errorf("got\n%s\nwant\n%s", got, c.want)
				}
			})
		})
	}
}

// step is one thing that happens to a schedule: an order, and then time passes.
type step struct {
	kind  Kind          // "" orders the cycle
	lasts time.Duration // 0: until told otherwise
	pass  time.Duration
}

func steps() *rapid.Generator[[]step] {
	seconds := rapid.IntRange(0, 60)
	return rapid.SliceOf(rapid.Custom(func(t *rapid.T) step {
		return step{
			kind:  rapid.SampledFrom([]Kind{"", None, Timeout, Error, Reset, Slow, Garbage}).Draw(t, "kind"),
			lasts: time.Duration(seconds.Draw(t, "lasts")) * time.Second,
			// A little off, so that no check falls on a change.
			pass: time.Duration(seconds.Draw(t, "pass"))*time.Second + time.Millisecond,
		}
	}))
}

// inForce says what follows from the last step alone, whatever came before.
func (s step) inForce() Kind {
	if s.kind == "" {
		s.kind, s.lasts = None, time.Nanosecond
	}
	if s.lasts == 0 || s.pass < s.lasts {
		return s.kind
	}
	if (s.pass-s.lasts)%(25*time.Second) < 15*time.Second {
		return None
	}
	return Timeout
}

func TestTheScheduleKeepsToItsLastOrder(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		steps := steps().Draw(rt, "steps")
		var got, want Kind
		synctest.Test(t, func(*testing.T) {
			_, log := newDiary()
			s := newSchedule(standardCycle, log)
			defer s.stop()
			s.resume()
			for _, step := range steps {
				if step.kind == "" {
					s.resume()
				} else {
					s.set(newFault(step.kind), step.lasts)
				}
				time.Sleep(step.pass)
				synctest.Wait()
				if got, want = s.now().fault.Kind, step.inForce(); got != want {
					return
				}
			}
		})
		if got != want {
			rt.Fatalf("%v is in force, want %v", got, want)
		}
	})
}
