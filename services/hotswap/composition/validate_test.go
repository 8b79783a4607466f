package composition_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/service"
	"github.com/adapter-hotswap/adapter-hotswap-go/services/hotswap/composition"
)

// What can't work together is refused at the start, with the variable, its value
// and the reason.
func TestSettingsThatCannotWorkTogether(t *testing.T) {
	file := "validate_test.go" // any file that exists
	for name, test := range map[string]struct {
		environ map[string]string
		refusal string // "" where it works
	}{
		"the article": {nil, ""},
		"everything beyond it": {map[string]string{"FAILURES": "3", "QUORUM": "2", "ONE_PROBER": "on",
			"CANARY": "5", "RAMP": "10s", "HOLD_DOWN": "10s", "TIMEOUT_JITTER": "1s", "PROBE_JITTER": "0.2"}, ""},

		"failures in a row": {map[string]string{"FAILURES": "3"}, ""},
		"a rate":            {map[string]string{"FAILURE_RATE": "0.5"}, ""},
		"failures in a row and a rate": {map[string]string{"FAILURES": "3", "FAILURE_RATE": "0.5"},
			`FAILURES="3": must be 1`},
		"a window too short for a rate": {map[string]string{"FAILURE_WINDOW": "10us"},
			`FAILURE_WINDOW="10µs": must be 1ms or more`},

		"votes that outlive a probe": {map[string]string{"QUORUM": "2", "QUORUM_WINDOW": "8.5s"}, ""},
		"votes that expire before a probe that hangs": {map[string]string{"QUORUM": "2", "QUORUM_WINDOW": "8s"},
			`QUORUM_WINDOW="8s": must be at least 8.5s, or a vote expires`},
		"a window without a quorum": {map[string]string{"QUORUM_WINDOW": "1s"}, ""},

		"one prober whose claim lasts": {map[string]string{"ONE_PROBER": "on", "TIMEOUT": "4.5s"}, ""},
		"one prober whose probe outlasts its claim": {map[string]string{"ONE_PROBER": "on", "TIMEOUT": "4.6s"},
			`TIMEOUT="4.6s": must be at most 4.5s with ONE_PROBER`},
		"many probers": {map[string]string{"TIMEOUT": "20s"}, ""},

		"a hold-down at its cap": {map[string]string{"HOLD_DOWN": "1m", "HOLD_DOWN_MAX": "1m"}, ""},
		"a hold-down above its cap": {map[string]string{"HOLD_DOWN": "2m", "HOLD_DOWN_MAX": "1m"},
			`HOLD_DOWN="2m0s": must be at most HOLD_DOWN_MAX, 1m0s`},
		"a hold-down that no probe is held by": {map[string]string{"HOLD_DOWN": "1s", "HOLD_DOWN_MAX": "5s"},
			`HOLD_DOWN_MAX="5s": must be above HEALTH_INTERVAL, 5s`},
		"a hold-down that is always forgotten": {map[string]string{"HOLD_DOWN": "10s", "TIMEOUT_JITTER": "1s", "QUIET_PERIOD": "4s"},
			`QUIET_PERIOD="4s": must be above 4s`},
		"a quiet period without a hold-down": {map[string]string{"QUIET_PERIOD": "1s"}, ""},

		"a heartbeat that AMQP can't name": {map[string]string{"AMQP_HEARTBEAT": "500ms"},
			`AMQP_HEARTBEAT="500ms": must be at least 1s`},
		"a certificate without its key": {map[string]string{"AMQP_CERT_FILE": file},
			`AMQP_KEY_FILE="": must be set together with AMQP_CERT_FILE`},
		"a key without its certificate": {map[string]string{"AMQP_KEY_FILE": file},
			`AMQP_CERT_FILE="": must be set together with AMQP_KEY_FILE`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := service.Load[composition.Settings](test.environ)
			if test.refusal == "" {
				if err != nil {
					t.Errorf("refused: %v", err)
				}
				return
			}
			if _, ok := errors.AsType[*service.SettingsError](err); !ok {
				t.Fatalf("got %v, want a refusal", err)
			}
			if message := err.Error(); !strings.HasPrefix(message, test.refusal) || strings.Contains(message, "\n") {
				t.Errorf("got %q, want one line that begins with %q", message, test.refusal)
			}
		})
	}
}
