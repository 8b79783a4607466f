package live

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Marks stand for the answers of an instance, one byte each.
const (
	MarkPreferred = 'p' // answered by the preferred adapter
	MarkFallback  = 'f' // answered by another one
	MarkRescued   = 'r' // in flight when the adapter was replaced, answered by the next
	MarkTimeout   = 't' // an adapter let the whole timeout pass
	MarkError     = 'e' // an adapter failed in another way

	allMarks = "pfrte"
)

// Report is what an instance says of itself.
type Report struct {
	// ID is unique to one run, Name is for people.
	ID   string `json:"id"`
	Name string `json:"name"`

	Active    string `json:"active"`
	Position  uint64 `json:"position"`
	Connected bool   `json:"connected"`
	Pinned    bool   `json:"pinned,omitempty"`
	Alone     bool   `json:"alone,omitempty"`
	Ramping   bool   `json:"ramping,omitempty"`
	Pending   bool   `json:"pending,omitempty"`
	// Cut says that somebody took the instance off the bus by hand, for CutFor
	// more milliseconds.
	Cut    bool  `json:"cut,omitempty"`
	CutFor int64 `json:"cutFor,omitempty"`

	// Marks are the last answers, newest at the end. Marked counts all of them
	// since the start, so that a reader knows which are new.
	Marks  string `json:"marks"`
	Marked uint64 `json:"marked"`
	Counts Counts `json:"counts"`

	// Applied are switches, oldest first. Reports repeat the recent ones.
	Applied []Applied `json:"applied,omitempty"`
}

// Counts are totals since the start of an instance. Unlike Marks they leave
// nothing out.
type Counts struct {
	Preferred uint64 `json:"preferred"`
	Fallback  uint64 `json:"fallback"`
	Rescued   uint64 `json:"rescued"`
	Timeouts  uint64 `json:"timeouts"`
	Errors    uint64 `json:"errors"`
	// Outages counts the switches that a timeout caused anywhere and that moved
	// this instance. A circuit breaker of its own would have waited out one
	// timeout in each of them, at least.
	Outages uint64 `json:"outages"`
}

// Applied says how a switch reached an instance.
type Applied struct {
	// Switch is the id of the switch, and stays the same everywhere.
	Switch   string `json:"switch"`
	Position uint64 `json:"position,omitempty"` // 0: not yet back from the log
	Target   string `json:"target"`
	Reason   string `json:"reason"`
	Origin   string `json:"origin"`
	At       int64  `json:"at"` // by the author's clock, in Unix milliseconds
	Manual   bool   `json:"manual,omitempty"`
	Pinned   bool   `json:"pinned,omitempty"`
	// How is one of the constants below.
	How How `json:"how"`
	// Took is from the decision to the move, in milliseconds, where there was a
	// move.
	Took float64 `json:"took"`

	seen int64 // when this record last changed, in Unix milliseconds
}

// How says what a switch was to an instance.
type How string

const (
	// Moved: it moved this instance.
	Moved How = "moved"
	// Waiting: it will move this instance after its part of the ramp.
	Waiting How = "waiting"
	// Known: the instance was on that adapter anyway.
	Known How = "known"
	// Void: it was decided here and not accepted by the log.
	Void How = "void"
)

// Bounds of what others may say.
const (
	maxReport  = 32 << 10
	maxText    = 256
	maxMarks   = 60
	maxApplied = 24
)

var errReport = errors.New("report out of bounds")

// parseReport reads what another instance sent. What it lets through is small
// and made of known parts.
func parseReport(message []byte) (Report, error) {
	var r Report
	if len(message) > maxReport {
		return r, fmt.Errorf("%w: %d bytes", errReport, len(message))
	}
	if err := json.Unmarshal(message, &r); err != nil {
		return r, err
	}
	return r, r.check()
}

func (r *Report) check() error {
	switch {
	case r.ID == "" || r.Name == "" || len(r.ID) > maxText || len(r.Name) > maxText || len(r.Active) > maxText:
		return fmt.Errorf("%w: id or name", errReport)
	case len(r.Marks) > maxMarks || strings.Trim(r.Marks, allMarks) != "" || uint64(len(r.Marks)) > r.Marked:
		return fmt.Errorf("%w: marks", errReport)
	case len(r.Applied) > maxApplied:
		return fmt.Errorf("%w: %d switches", errReport, len(r.Applied))
	}
	for i := range r.Applied {
		if a := &r.Applied[i]; a.Switch == "" || len(a.Switch)+len(a.Target)+len(a.Reason)+len(a.Origin) > 4*maxText {
			return fmt.Errorf("%w: switch", errReport)
		}
	}
	return nil
}
