package scenario

import (
	"bytes"
	"log/slog"
	"slices"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/service"
	"github.com/adapter-hotswap/adapter-hotswap-go/services/hotswap/walkthrough"
)

// told are the lines of an instance's log that a scenario quotes: those of
// whoever decides, and what the bus does. Those who only follow are counted.
var told = []walkthrough.Kind{
	walkthrough.KindDetected, walkthrough.KindVoting, walkthrough.KindRecovered, walkthrough.KindRejoining,
	walkthrough.KindManual, walkthrough.KindPinned, walkthrough.KindReleased,
	walkthrough.KindBusLost, walkthrough.KindBusConnected, walkthrough.KindReplayed, walkthrough.KindStartedAlone,
}

// logOf makes the log of an instance.
func logOf(name string, t *teller) *slog.Logger {
	return service.NewLogger(quotes{name, t}, "demo", name)
}

// quotes is where an instance logs to: a line for each Write.
type quotes struct {
	name string
	t    *teller
}

func (q quotes) Write(p []byte) (int, error) {
	line := string(bytes.TrimRight(p, "\n"))
	if m, ok := walkthrough.Parse(line); ok && slices.Contains(told, m.Kind) {
		q.t.quote(q.name, line)
	}
	return len(p), nil
}
