package flaky

import (
	"fmt"
	"net/http"
	"time"
)

// Kind is the way in which the primary fails.
type Kind string

const (
	// None: it answers.
	None Kind = "none"
	// Timeout: it takes the request and says nothing until the caller leaves or
	// the fault ends.
	Timeout Kind = "timeout"
	// Error: it answers with a 5xx status.
	Error Kind = "error"
	// Reset: the connection breaks before an answer.
	Reset Kind = "reset"
	// Slow: it answers rightly, after a delay.
	Slow Kind = "slow"
	// Garbage: it answers 200 with something that is no animal.
	Garbage Kind = "garbage"
)

const (
	standardStatus = http.StatusInternalServerError
	standardDelay  = 500 * time.Millisecond
)

// Fault is one way to fail, with what it needs to know.
type Fault struct {
	Kind   Kind
	Status int           // of an Error
	Delay  time.Duration // of a Slow
}

// newFault returns the standard fault of a kind.
func newFault(kind Kind) Fault {
	fault := Fault{Kind: kind}
	switch kind {
	case Error:
		fault.Status = standardStatus
	case Slow:
		fault.Delay = standardDelay
	}
	return fault
}

// String names the fault in the log.
func (f Fault) String() string {
	switch f.Kind {
	case Error:
		return fmt.Sprintf("error (HTTP %d)", f.Status)
	case Slow:
		return fmt.Sprintf("slow (%v)", f.Delay)
	default:
		return string(f.Kind)
	}
}
