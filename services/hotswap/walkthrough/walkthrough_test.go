package walkthrough_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/adapter-hotswap/adapter-hotswap-go/services/hotswap/walkthrough"
)

func Example() {
	fmt.Println(walkthrough.Detected("primary", walkthrough.CauseTimeout, "fallback"))
	fmt.Println(walkthrough.Switching("primary", "fallback"))
	fmt.Println(walkthrough.Response(walkthrough.Chat))
	// Output:
	// EVENT: Primary adapter timeout — broadcasting switch to fallback
	// EVENT: Switching adapter from 'primary' to 'fallback'
	// Response: Chat
}

// The texts, to the letter. Those of the article come first.
func TestTexts(t *testing.T) {
	tests := []struct{ got, want string }{
		{walkthrough.Response("Chien"), "Response: Chien"},
		{walkthrough.Detected("primary", walkthrough.CauseTimeout, "fallback"), "EVENT: Primary adapter timeout — broadcasting switch to fallback"},
		{walkthrough.Switching("primary", "fallback"), "EVENT: Switching adapter from 'primary' to 'fallback'"},
		{walkthrough.Received("fallback"), "EVENT RECEIVED: Switch to 'fallback'"},
		{walkthrough.Response("Chat"), "Response: Chat"},
		{walkthrough.Recovered("primary"), "HEALTHCHECK: Primary adapter responding again"},
		{walkthrough.Switching("fallback", "primary"), "EVENT: Switching adapter from 'fallback' to 'primary'"},

		{walkthrough.Detected("primary", walkthrough.CauseStatus(500), "fallback"), "EVENT: Primary adapter error (HTTP 500) — broadcasting switch to fallback"},
		{walkthrough.Detected("primary", walkthrough.CauseRefused, "fallback"), "EVENT: Primary adapter connection refused — broadcasting switch to fallback"},
		{walkthrough.Detected("primary", walkthrough.CauseReset, "fallback"), "EVENT: Primary adapter connection reset — broadcasting switch to fallback"},
		{walkthrough.Detected("primary", walkthrough.CauseInvalid, "fallback"), "EVENT: Primary adapter invalid answer — broadcasting switch to fallback"},
		{walkthrough.Manual("fallback"), "EVENT: Manual switch — broadcasting switch to fallback"},
		{walkthrough.LateResponse("Chien"), "LATE RESPONSE: Chien (asked before the switch)"},
		{walkthrough.Rescued("primary", "fallback"), "RESCUE: Call in flight moved from 'primary' to 'fallback'"},
		{walkthrough.Replayed("fallback"), "REPLAY: Cluster is on 'fallback'"},
		{walkthrough.ReplayedNothing("primary"), "REPLAY: No switch so far, starting on 'primary'"},
		{walkthrough.StartedAlone("primary"), "BUS: Not reached, starting alone on 'primary'"},
		{walkthrough.BusLost(), "BUS: Connection lost, deciding alone"},
		{walkthrough.BusConnected(), "BUS: Connected"},
		{walkthrough.AsideResponse("Chat", "fallback"), "ASIDE RESPONSE: Chat (from 'fallback', for this call alone)"},
		{walkthrough.Voting("primary", walkthrough.CauseTimeout, "fallback"), "EVENT: Primary adapter timeout — voting for fallback, alone until the others agree"},
		{walkthrough.Rejoining("primary"), "HEALTHCHECK: Primary adapter responding again, no longer alone"},
		{walkthrough.Message{}.String(), ""},
		{walkthrough.Message{Kind: 200}.String(), ""},
	}
	for _, tt := range tests {
		if tt.got != tt.want {
			t.Errorf("got  %q\nwant %q", tt.got, tt.want)
		}
	}
}

func TestParse(t *testing.T) {
	tests := []struct {
		line string
		want walkthrough.Message
	}{
		{"Response: Chien", walkthrough.Message{Kind: walkthrough.KindResponse, Animal: "Chien"}},
		{"EVENT: Primary adapter error (HTTP 503) — broadcasting switch to fallback",
			walkthrough.Message{Kind: walkthrough.KindDetected, From: "primary", Cause: "error (HTTP 503)", To: "fallback"}},
		{"EVENT: Manual switch — broadcasting switch to primary", walkthrough.Message{Kind: walkthrough.KindManual, To: "primary"}},
		{"HEALTHCHECK: Primary adapter responding again", walkthrough.Message{Kind: walkthrough.KindRecovered, To: "primary"}},
	}
	for _, tt := range tests {
		if got, ok := walkthrough.Parse(tt.line); !ok || got != tt.want {
			t.Errorf("Parse(%q) = %+v, %t, want %+v", tt.line, got, ok, tt.want)
		}
	}
}

// A line that looks alike to a person is not the article's line.
func TestParseRefusesNearMisses(t *testing.T) {
	for _, line := range []string{
		"",
		"response: Chien",
		"Response:Chien",
		"Response: ",
		"Response: Chien ",
		" Response: Chien",
		"Response: Chien\n",
		"EVENT: Primary adapter timeout - broadcasting switch to fallback",
		"EVENT: primary adapter timeout — broadcasting switch to fallback",
		"EVENT: Primary adapter — broadcasting switch to fallback",
		"EVENT: Switching adapter from primary to fallback",
		"EVENT: Switching adapter from 'Primary' to 'fallback'",
		"EVENT RECEIVED: Switch to fallback",
		"HEALTHCHECK: primary adapter responding again",
		"BUS: connected",
	} {
		if m, ok := walkthrough.Parse(line); ok {
			t.Errorf("Parse(%q) = %+v, want it refused", line, m)
		}
	}
}

// Whatever the adapters are called, what the narrator prints is read back.
func TestEveryMessageIsReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringMatching(`[a-z0-9][a-zA-Z0-9._-]{0,12}`)
		from, to := name.Draw(t, "from"), name.Draw(t, "to")
		animal := rapid.StringMatching(`[A-Z][a-z]{0,10}`).Draw(t, "animal")
		cause := rapid.StringMatching(`[a-z][a-z ()0-9]{0,20}`).Draw(t, "cause")
		for _, line := range []string{
			walkthrough.Response(animal), walkthrough.LateResponse(animal),
			walkthrough.Detected(from, cause, to), walkthrough.Manual(to),
			walkthrough.Switching(from, to), walkthrough.Received(to), walkthrough.Recovered(to),
			walkthrough.Replayed(to), walkthrough.ReplayedNothing(to), walkthrough.StartedAlone(to),
			walkthrough.Rescued(from, to), walkthrough.BusLost(), walkthrough.BusConnected(),
			walkthrough.AsideResponse(animal, from), walkthrough.Voting(from, cause, to), walkthrough.Rejoining(to),
		} {
			if m, ok := walkthrough.Parse(line); !ok || m.String() != line {
				t.Fatalf("Parse(%q) = %+v, %t", line, m, ok)
			}
		}
	})
}

// A line that is taken for one of the walkthrough is one, to the letter.
func FuzzParse(f *testing.F) {
	f.Add("Response: Chien")
	f.Add("EVENT: Primary adapter timeout — broadcasting switch to fallback")
	f.Add("EVENT: Switching adapter from 'primary' to 'fallback'")
	f.Add("EVENT: Ǆ adapter \xff — broadcasting switch to ß")
	f.Fuzz(func(t *testing.T, line string) {
		m, ok := walkthrough.Parse(line)
		if ok && (m.Kind == walkthrough.KindNone || m.String() != line) {
			t.Errorf("Parse(%q) = %+v, which prints %q", line, m, m)
		}
		if !ok && m != (walkthrough.Message{}) {
			t.Errorf("Parse(%q) refused the line but returned %+v", line, m)
		}
	})
}
