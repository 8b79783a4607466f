package contract

import (
	"errors"
	"fmt"
)

// ErrShort is matched by the error for a log that broke no rule but ended before
// it showed enough whole cycles.
var ErrShort = errors.New("the log ended too early")

// Violation is a line that breaks a rule of the walkthrough.
type Violation struct {
	Cycle    int    // the cycle of the primary, counted from 1
	Line     int    // the line of the log, counted from 1
	Instance string // who printed it; empty in a log without prefixes
	Text     string // the message, without its prefix
	Rule     string // what was broken, as a sentence about the instance
	Hint     string // a line that may explain it; empty if there is none
}

func (v *Violation) Error() string {
	s := fmt.Sprintf("cycle %d, line %d: %q: %s %s", v.Cycle, v.Line, v.Text, display(v.Instance), v.Rule)
	if v.Hint != "" {
		s += "; " + v.Hint
	}
	return s
}

func display(instance string) string {
	if instance == alone {
		return "the instance"
	}
	return instance
}
