package rabbitmq

import (
	"cmp"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/hotswap"
)

// What a message may be at most. A longer one is malformed: nothing that an
// instance sends comes near.
const (
	maxBody     = 64 << 10
	maxText     = 256
	maxReason   = 1024
	maxQuorum   = 10_000
	maxDuration = 24 * time.Hour
)

// check applies the rules that the JSON types do not express.
func (m message) check(kind hotswap.Kind) error {
	limit := maxDuration.Milliseconds()
	return cmp.Or(
		checkText("id", m.ID, maxText, true),
		checkText("originService", m.Origin, maxText, true),
		checkText("destinationService", m.Destination, maxText, true),
		checkText("targetAdapter", m.Target, maxText, needsTarget(kind)),
		checkText("reason", m.Reason, maxReason, false),
		checkRange("quorum", int64(m.Quorum), maxQuorum),
		checkRange("windowMs", m.WindowMS, limit),
		checkRange("rampMs", m.RampMS, limit),
	)
}

func checkText(name, text string, limit int, required bool) error {
	switch {
	case required && text == "":
		return fmt.Errorf("no %s", name)
	case len(text) > limit:
		return fmt.Errorf("%s is %d bytes long, at most %d are allowed", name, len(text), limit)
	case !utf8.ValidString(text):
		return fmt.Errorf("%s is not UTF-8", name)
	case strings.ContainsFunc(text, unicode.IsControl):
		return fmt.Errorf("%s contains a control character", name)
	}
	return nil
}

func checkRange(name string, value, limit int64) error {
	if value < 0 || value > limit {
		return fmt.Errorf("%s is %d, not between 0 and %d", name, value, limit)
	}
	return nil
}
