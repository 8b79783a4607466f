package contract

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/adapter-hotswap/adapter-hotswap-go/services/hotswap/walkthrough"
)

// Cycle is what one cycle of the primary looked like.
type Cycle struct {
	Number    int
	Detectors []string // who met the failure, each with its cause
	Operators []string // who was told to switch by hand
	Warned    []string // who switched without meeting it
	Timeouts  int      // how many of the detectors waited out a timeout
	Rescued   int      // calls in flight that were moved to the next adapter
	Recovered []string // whose health checker went back
	Skipped   string   // why the cycle does not count; empty if it is whole
}

func summarise(number int, members []*member) *Cycle {
	c := &Cycle{Number: number}
	for _, m := range members {
		name := display(m.name)
		switch {
		case m.away.detects():
			c.Detectors = append(c.Detectors, name+" ("+m.away.Cause+")")
		case m.away.Kind == walkthrough.KindManual:
			c.Operators = append(c.Operators, name)
		default:
			c.Warned = append(c.Warned, name)
		}
		if m.away.Cause == walkthrough.CauseTimeout {
			c.Timeouts++
		}
		if m.back != nil && m.back.recovers() {
			c.Recovered = append(c.Recovered, name)
		}
		c.Rescued += m.rescued
	}
	return c
}

// String is one line for people.
func (c *Cycle) String() string {
	if c.Skipped != "" {
		return fmt.Sprintf("cycle %d: not counted: %s", c.Number, c.Skipped)
	}
	parts := []string{}
	add := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	if len(c.Detectors) > 0 {
		add("detected by %s", strings.Join(c.Detectors, ", "))
	}
	if len(c.Operators) > 0 {
		add("switched by hand at %s", strings.Join(c.Operators, ", "))
	}
	add("%s warned in time", count(len(c.Warned), "instance"))
	add("%s", count(c.Timeouts, "timeout"))
	if c.Rescued > 0 {
		add("%s in flight rescued", count(c.Rescued, "call"))
	}
	if len(c.Recovered) > 0 {
		add("recovery seen by %s", strings.Join(c.Recovered, ", "))
	}
	return fmt.Sprintf("cycle %d: %s", c.Number, strings.Join(parts, "; "))
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// compareNames puts hotswap-2 before hotswap-10.
func compareNames(a, b string) int {
	return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
}
