package service

import (
	"context"
	"io"
	"log/slog"
	"sync"
)

// NewLogger writes one line per record to w. The format is one of
//
//	demo   the message alone, as the article prints it, and after an error what
//	       caused it; no debug records
//	text   slog's text format: every attribute, debug records too
//	json   slog's JSON format: the same
//
// and any other value means demo. A non-empty instance becomes an attribute of
// every record. The logger is safe for concurrent use.
func NewLogger(w io.Writer, format, instance string) *slog.Logger {
	everything := &slog.HandlerOptions{Level: slog.LevelDebug}
	var log *slog.Logger
	switch format {
	case "text":
		log = slog.New(slog.NewTextHandler(w, everything))
	case "json":
		log = slog.New(slog.NewJSONHandler(w, everything))
	default:
		log = slog.New(&demoHandler{w: w})
	}
	if instance != "" {
		log = log.With("instance", instance)
	}
	return log
}

// demoHandler prints messages only, so that a projected log reads as the
// article's. An error is no part of that story: its "error" is what helps.
type demoHandler struct {
	mu sync.Mutex
	w  io.Writer
}

func (h *demoHandler) Enabled(_ context.Context, level slog.Level) bool {
	return level >= slog.LevelInfo
}

func (h *demoHandler) Handle(_ context.Context, record slog.Record) error {
	line := record.Message
	if record.Level >= slog.LevelError {
		record.Attrs(func(a slog.Attr) bool {
			if a.Key == "error" {
				line += ": " + a.Value.String()
			}
			return true
		})
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	_, err := io.WriteString(h.w, oneLine(line)+"\n")
	return err
}

func (h *demoHandler) WithAttrs([]slog.Attr) slog.Handler { return h }
func (h *demoHandler) WithGroup(string) slog.Handler      { return h }
