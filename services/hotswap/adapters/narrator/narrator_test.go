package narrator_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/hotswap"
	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/service"
	"github.com/adapter-hotswap/adapter-hotswap-go/services/hotswap/adapters/narrator"
)

var toFallback = hotswap.AdapterSwitchEvent{ID: "1", Origin: "hotswap:2:b", Target: "fallback", Reason: "timeout"}

// What each observation reads like in the demo log; "" is silence.
var demo = []struct {
	name string
	told hotswap.Observation
	line string
}{
	{"answer", hotswap.Answered{Adapter: "primary", Result: "Chien"}, "Response: Chien"},
	{"rescued answer", hotswap.Answered{Adapter: "fallback", Result: "Chat", Rescued: true}, "Response: Chat"},
	{"late answer", hotswap.Answered{Adapter: "primary", Result: "Chien", Late: true}, "LATE RESPONSE: Chien (asked before the switch)"},
	{"answer without an animal", hotswap.Answered{Adapter: "primary", Err: errors.New("unexpected status 404")}, "NO ANIMAL: unexpected status 404"},
	{"stand-in", hotswap.Answered{Adapter: "fallback", Result: "Chat", Aside: true}, "ASIDE RESPONSE: Chat (from 'fallback', for this call alone)"},
	{"detection", hotswap.Decided{From: "primary", Target: "fallback", Reason: "timeout"},
		"EVENT: Primary adapter timeout — broadcasting switch to fallback"},
	{"another cause", hotswap.Decided{From: "primary", Target: "fallback", Reason: "error (HTTP 500)"},
		"EVENT: Primary adapter error (HTTP 500) — broadcasting switch to fallback"},
	{"recovery", hotswap.Decided{From: "fallback", Target: "primary", Cause: hotswap.CauseRecovery}, "HEALTHCHECK: Primary adapter responding again"},
	{"manual", hotswap.Decided{From: "primary", Target: "fallback", Cause: hotswap.CauseManual}, "EVENT: Manual switch — broadcasting switch to fallback"},
	{"pin", hotswap.Decided{From: "fallback", Target: "fallback", Cause: hotswap.CauseManual, Event: hotswap.AdapterSwitchEvent{Pinned: true}}, "EVENT: Pinned on 'fallback'"},
	{"release", hotswap.Decided{From: "fallback", Target: "fallback", Cause: hotswap.CauseManual}, "EVENT: No longer pinned on 'fallback'"},
	{"vote", hotswap.Decided{From: "primary", Target: "fallback", Cause: hotswap.CauseAlone, Reason: "timeout"},
		"EVENT: Primary adapter timeout — voting for fallback, alone until the others agree"},
	{"end of a vote", hotswap.Decided{Target: "primary", Cause: hotswap.CauseAlone, Event: hotswap.AdapterSwitchEvent{Kind: hotswap.KindWithdraw}},
		"HEALTHCHECK: Primary adapter responding again, no longer alone"},
	{"switch", hotswap.Switched{From: "primary", To: "fallback"}, "EVENT: Switching adapter from 'primary' to 'fallback'"},
	{"warning", hotswap.Received{Event: toFallback}, "EVENT RECEIVED: Switch to 'fallback'"},
	{"rescue", hotswap.Rescued{From: "primary", To: "fallback"}, "RESCUE: Call in flight moved from 'primary' to 'fallback'"},
	{"blank log", hotswap.Replayed{}, "REPLAY: No switch so far, starting on 'primary'"},
	{"no bus at the start", hotswap.BusAway{}, "BUS: Not reached, starting alone on 'primary'"},
	{"bus lost", hotswap.BusLost{Err: errors.New("EOF")}, "BUS: Connection lost, deciding alone"},
	{"bus back", hotswap.BusRegained{}, "BUS: Connected"},
	{"unknown adapter", hotswap.Ignored{Event: hotswap.AdapterSwitchEvent{Target: "cat"}, Unknown: true}, `IGNORED: Unknown adapter "cat"`},
	{"other quorum", hotswap.QuorumMismatch{Origin: "hotswap:2:b", Theirs: 3, Ours: 2}, "QUORUM: hotswap:2:b decides by 3, this instance by 2"},
	{"failed call", hotswap.Failed{Adapter: "primary", Err: errors.New("x")}, ""},
	{"void decision", hotswap.Voided{Event: toFallback, Verdict: hotswap.Stale}, ""},
	{"void entry", hotswap.Ignored{Event: toFallback, Verdict: hotswap.Stale}, ""},
	{"confirmation", hotswap.Confirmed{Event: toFallback}, ""},
	{"vote counted", hotswap.Voted{Event: toFallback, Votes: 1, Quorum: 2}, ""},
	{"failed probe", hotswap.ProbeFailed{Adapter: "primary", Err: errors.New("x")}, ""},
	{"failed publish", hotswap.PublishFailed{Err: errors.New("x")}, ""},
	{"call left behind", hotswap.Abandoned{Adapter: "primary", Running: 1}, ""},
}

func TestDemoLog(t *testing.T) {
	for _, c := range demo {
		t.Run(c.name, func(t *testing.T) {
			var text bytes.Buffer
			n := narrator.New(service.NewLogger(&text, "demo", "hotswap-1"), "primary")
			if _, start := c.told.(hotswap.Replayed); !start {
				n.Observe(hotswap.Replayed{})
				text.Reset()
			}
			n.Observe(c.told)
			if got := strings.TrimSuffix(text.String(), "\n"); got != c.line {
				t.Errorf("got %q, want %q", got, c.line)
			}
		})
	}
}

// A start on the cluster's adapter is one line, not a switch.
func TestReplayIsNoSwitch(t *testing.T) {
	var text bytes.Buffer
	n := narrator.New(service.NewLogger(&text, "demo", ""), "primary")
	n.Observe(hotswap.Switched{From: "primary", To: "fallback", Cause: hotswap.CauseReplayed})
	n.Observe(hotswap.Replayed{State: hotswap.State{Adapter: "fallback", Position: 7}})
	if got, want := text.String(), "REPLAY: Cluster is on 'fallback'\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Until an instance has started, a bus that is not there yet is no news.
func TestTheBusIsSilentUntilTheStart(t *testing.T) {
	var text bytes.Buffer
	n := narrator.New(service.NewLogger(&text, "demo", ""), "primary")
	n.Observe(hotswap.BusLost{Err: errors.New("connection refused")})
	n.Observe(hotswap.BusAway{})
	n.Observe(hotswap.BusRegained{})
	if got, want := text.String(), "BUS: Not reached, starting alone on 'primary'\nBUS: Connected\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Nothing that happens is silent in the JSON log, and every record says where
// the instance stands.
func TestJSONLogHasTheAttributes(t *testing.T) {
	for _, c := range demo {
		var text bytes.Buffer
		n := narrator.New(service.NewLogger(&text, "json", "hotswap-1"), "primary")
		n.Observe(c.told)
		var record map[string]any
		if err := json.Unmarshal(text.Bytes(), &record); err != nil {
			t.Errorf("%s: %v in %q", c.name, err, text.String())
			continue
		}
		for _, attribute := range []string{"time", "msg", "instance", "adapter", "position"} {
			if _, said := record[attribute]; !said {
				t.Errorf("%s: no %s in %s", c.name, attribute, text.String())
			}
		}
	}
}

func TestSwitchCarriesItsDetails(t *testing.T) {
	var text bytes.Buffer
	n := narrator.New(service.NewLogger(&text, "json", "hotswap-1"), "primary")
	n.Observe(hotswap.Switched{From: "primary", To: "fallback", Epoch: 2, Cause: hotswap.CauseReceived,
		Reason: "timeout", Position: 12, Latency: 4 * time.Millisecond})
	for _, want := range []string{`"adapter":"fallback"`, `"position":12`, `"reason":"timeout"`, `"latency":"4ms"`, `"epoch":2`, `"cause":"received"`} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %s in %s", want, text.String())
		}
	}
}
