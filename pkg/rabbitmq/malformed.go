package rabbitmq

import (
	"log/slog"
	"sync"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/hotswap"
)

// malformedLimit bounds how many kinds and origins are remembered, and so how
// many lines a sender can cause that makes up origins.
const malformedLimit = 100

// malformedLog writes one line for each kind and origin of malformed messages,
// however often they come or are replayed.
type malformedLog struct {
	log  *slog.Logger
	mu   sync.Mutex
	seen map[[2]string]bool
}

func newMalformedLog(log *slog.Logger) *malformedLog {
	return &malformedLog{log: log, seen: map[[2]string]bool{}}
}

func (m *malformedLog) report(p hotswap.Position, bad *malformed) {
	m.mu.Lock()
	defer m.mu.Unlock()
	key := [2]string{bad.Kind, bad.Origin}
	if m.seen[key] || len(m.seen) > malformedLimit {
		return
	}
	m.seen[key] = true
	if len(m.seen) > malformedLimit {
		m.log.Warn("further malformed messages are dropped without a line", "limit", malformedLimit)
		return
	}
	m.log.Warn("malformed message dropped",
		"kind", bad.Kind, "origin", bad.Origin, "detail", shorten(bad.Detail), "position", uint64(p))
}
