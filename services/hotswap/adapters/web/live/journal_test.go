package live

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/hotswap"
)

var (
	errTimeout = context.DeadlineExceeded
	decision   = hotswap.AdapterSwitchEvent{ID: "s1", Origin: "hotswap:me-8080:0", Target: "fallback", Reason: "timeout"}
	others     = hotswap.AdapterSwitchEvent{ID: "s2", Origin: "hotswap:other-8080:0", Target: "fallback", Reason: "timeout"}
)

// observed is the report after the observations, each in a slot of its own.
func observed(log hotswap.State, all ...hotswap.Observation) Report {
	j := NewJournal("primary", func() hotswap.Status { return hotswap.Status{Log: log} })
	for _, o := range all {
		j.Observe(o)
	}
	var r Report
	j.report(&r, 0)
	for i := range r.Applied {
		r.Applied[i].seen = 0
	}
	return r
}

func TestMarks(t *testing.T) {
	for name, c := range map[string]struct {
		observation hotswap.Observation
		mark        string
		counts      Counts
	}{
		"the preferred adapter": {hotswap.Answered{Adapter: "primary"}, "p", Counts{Preferred: 1}},
		"the fallback":          {hotswap.Answered{Adapter: "fallback"}, "f", Counts{Fallback: 1}},
		"late":                  {hotswap.Answered{Adapter: "primary", Late: true}, "p", Counts{Preferred: 1}},
		"rescued":               {hotswap.Answered{Adapter: "fallback", Rescued: true}, "r", Counts{Rescued: 1}},
		"an error as an answer": {hotswap.Answered{Adapter: "primary", Err: errors.New("404")}, "e", Counts{Errors: 1}},
		"a timeout":             {hotswap.Failed{Adapter: "primary", Err: errTimeout}, "t", Counts{Timeouts: 1}},
		"another failure":       {hotswap.Failed{Adapter: "primary", Err: errors.New("500")}, "e", Counts{Errors: 1}},
		"the rescue itself":     {hotswap.Rescued{From: "primary", To: "fallback"}, "", Counts{}},
	} {
		t.Run(name, func(t *testing.T) {
			r := observed(hotswap.State{}, c.observation)
			if r.Marks != c.mark || r.Counts != c.counts || r.Marked != uint64(len(c.mark)) {
				t.Errorf("got %q (%d) and %+v, want %q and %+v", r.Marks, r.Marked, r.Counts, c.mark, c.counts)
			}
		})
	}
}

// Under load the answers are thinned out, and the one timeout stays on the page.
func TestMarksUnderLoad(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := NewJournal("primary", func() hotswap.Status { return hotswap.Status{} })
		j.Observe(hotswap.Failed{Adapter: "primary", Err: errTimeout})
		for range 1000 {
			j.Observe(hotswap.Answered{Adapter: "fallback"})
			time.Sleep(time.Millisecond)
		}
		var r Report
		j.report(&r, 0)
		if !strings.Contains(r.Marks, "t") || r.Counts.Fallback != 1000 || len(r.Marks) > maxMarks {
			t.Errorf("got %q and %+v", r.Marks, r.Counts)
		}
	})
}

func TestMarksAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := NewJournal("primary", func() hotswap.Status { return hotswap.Status{} })
		for range 3 * maxMarks {
			j.Observe(hotswap.Answered{Adapter: "primary"})
			time.Sleep(slot)
		}
		j.Observe(hotswap.Answered{Adapter: "fallback"})
		var r Report
		j.report(&r, 0)
		if len(r.Marks) != maxMarks || !strings.HasSuffix(r.Marks, "pf") || r.Marked != 3*maxMarks+1 {
			t.Errorf("got %d marks of %d: %q", len(r.Marks), r.Marked, r.Marks)
		}
	})
}

func TestSwitches(t *testing.T) {
	renamed := decision
	renamed.ID = "s3"
	won := hotswap.State{Adapter: "fallback", ID: "s2", Position: 7, Origin: others.Origin, Reason: "timeout"}
	moved := func(e hotswap.AdapterSwitchEvent, p uint64, took float64) Applied {
		a := applied(e, hotswap.Position(p), Moved)
		a.Took = took
		return a
	}
	void := func(e hotswap.AdapterSwitchEvent) Applied { return applied(e, 0, Void) }
	decided := hotswap.Decided{Cause: hotswap.CauseFailure, Reason: "timeout", Event: decision}
	for name, c := range map[string]struct {
		all     []hotswap.Observation
		want    []Applied
		outages uint64
	}{
		"detected, and confirmed": {[]hotswap.Observation{decided,
			hotswap.Switched{To: "fallback", Latency: time.Millisecond}, hotswap.Confirmed{Event: decision, Position: 7}},
			[]Applied{moved(decision, 7, 1)}, 1},
		"detected, the log away": {[]hotswap.Observation{decided, hotswap.Switched{To: "fallback"}},
			[]Applied{moved(decision, 0, 0)}, 1},
		"confirmed under another id": {[]hotswap.Observation{decided, hotswap.Switched{To: "fallback"},
			hotswap.Confirmed{Event: renamed, Position: 7}}, []Applied{void(decision), moved(renamed, 7, 0)}, 1},
		"detected, another one won": {[]hotswap.Observation{decided, hotswap.Switched{To: "fallback"},
			hotswap.Voided{Event: decision}}, []Applied{void(decision), moved(others, 7, 0)}, 1},
		"warned": {[]hotswap.Observation{hotswap.Received{Event: others, Position: 7, Latency: time.Millisecond},
			hotswap.Switched{To: "fallback", Position: 7, Latency: 2 * time.Millisecond}}, []Applied{moved(others, 7, 2)}, 1},
		"warned, waiting on the ramp": {[]hotswap.Observation{hotswap.Received{Event: others, Position: 7}},
			[]Applied{applied(others, 7, Waiting)}, 1},
		"found in the log at the start": {[]hotswap.Observation{hotswap.Replayed{State: won}},
			[]Applied{fromState(won, Known)}, 0},
		"a vote is no switch": {[]hotswap.Observation{
			hotswap.Decided{Cause: hotswap.CauseAlone, Reason: "timeout", Target: "fallback"}}, nil, 1},
		"a recovery is no outage": {[]hotswap.Observation{
			hotswap.Decided{Cause: hotswap.CauseRecovery, Reason: "recovered", Event: decision}}, []Applied{moved(decision, 0, 0)}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			r := observed(won, c.all...)
			if len(r.Applied) != len(c.want) {
				t.Fatalf("got %+v\nwant %+v", r.Applied, c.want)
			}
			for i := range c.want {
				if r.Applied[i] != c.want[i] {
					t.Errorf("switch %d:\ngot  %+v\nwant %+v", i, r.Applied[i], c.want[i])
				}
			}
			if r.Counts.Outages != c.outages {
				t.Errorf("%d outages, want %d", r.Counts.Outages, c.outages)
			}
		})
	}
}

func TestJournalIsBounded(t *testing.T) {
	var all []hotswap.Observation
	for i := range 3 * maxApplied {
		e := decision
		e.ID = string(rune('a' + i))
		all = append(all, hotswap.Decided{Event: e})
	}
	if r := observed(hotswap.State{}, all...); len(r.Applied) != maxApplied {
		t.Errorf("%d switches kept", len(r.Applied))
	}
}

// What an answer costs while nobody watches.
func BenchmarkJournal(b *testing.B) {
	j := NewJournal("primary", func() hotswap.Status { return hotswap.Status{} })
	var o hotswap.Observation = hotswap.Answered{Adapter: "primary"}
	b.ReportAllocs()
	for b.Loop() {
		j.Observe(o)
	}
}
