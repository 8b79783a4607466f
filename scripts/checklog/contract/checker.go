// Package contract checks a log of the demo against the walkthrough of the
// article ("Running the demo"): the messages of package walkthrough, in the order
// that the article shows, in each cycle of the primary.
//
// Per instance and cycle: it answers Chien; either it meets the failure itself
// and says so, or it is warned; it switches to the fallback once; it answers
// Chat; it finds the primary well, or is told; it switches back once; it answers
// Chien again. Per cycle, over all instances: at least one met the failure, at
// least one found the primary well again. Whoever was warned may not meet the
// failure.
//
// Lines of other services, and lines that are none of the walkthrough, are
// passed over. An instance that starts, stops or is cut off from the bus breaks
// nothing, but a cycle in which one does is not counted. Counting starts at the
// first cycle that the log shows whole.
package contract

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/adapter-hotswap/adapter-hotswap-go/services/hotswap/walkthrough"
)

// Options of a [Checker]. The zero value checks a whole log of two or more
// instances of the service "hotswap".
type Options struct {
	// Service is the compose service whose lines count. Empty is "hotswap".
	Service string
	// Instances is how many must at least take part in a whole cycle. 0 is 2: the
	// walkthrough needs one that detects and one that is warned. A log without
	// prefixes is always of one.
	Instances int
	// Cycles ends the check when so many whole cycles came in a row. 0 reads to
	// the end of the log, which must show at least one.
	Cycles int
	// MaxTimeouts is how many instances may meet the failure in one outage. 0 is
	// any number: two that ask at the same moment find out at the same moment.
	MaxTimeouts int
	// OnCycle is told of each cycle as soon as all instances are through. May be nil.
	OnCycle func(*Cycle)
}

// Checker reads a log line by line. Make one with [New]. It is not safe for
// concurrent use.
type Checker struct {
	opts   Options
	split  splitter
	cycles *cycles

	lines  int
	whole  int // cycles that counted
	row    int // of those, the ones since the last that did not
	near   map[string]seen
	broken *Violation
}

// New makes a checker that has read nothing yet.
func New(opts Options) *Checker {
	if opts.Service == "" {
		opts.Service = "hotswap"
	}
	if opts.Instances == 0 {
		opts.Instances = 2
	}
	return &Checker{opts: opts, split: newSplitter(opts.Service), cycles: newCycles(opts), near: map[string]seen{}}
}

// Check reads r until it ends or enough cycles have passed. The error is a
// *[Violation], matches [ErrShort], or is r's.
func Check(r io.Reader, opts Options) (*Checker, error) {
	c := New(opts)
	in := bufio.NewReaderSize(r, 64<<10)
	for !c.Done() {
		part, cut, err := in.ReadLine()
		text := string(part)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return c, fmt.Errorf("read the log: %w", err)
		}
		for rest := cut; rest && err == nil; { // a line this long is not of the walkthrough
			_, rest, err = in.ReadLine()
		}
		if err := c.Line(text); err != nil {
			return c, err
		}
	}
	return c, c.End()
}

// Line takes the next line of the log, with or without its line end. The error
// is a *[Violation], the same for every line after the first.
func (c *Checker) Line(raw string) error {
	if c.broken != nil {
		return c.broken
	}
	c.lines++
	l, ours := c.split.split(raw)
	if !ours {
		return nil
	}
	if l.exited {
		c.cycles.exit(l.instance)
		return c.judge()
	}
	message, ok := walkthrough.Parse(l.message)
	if !ok {
		c.nearMiss(l)
		return nil
	}
	s := &seen{Message: message, line: c.lines, text: l.message}
	i := c.cycles.instance(l.instance)
	number := c.cycles.number(i)
	if rule := i.read(s, c.cycles); rule != "" {
		return c.breaks(&Violation{Cycle: number, Line: s.line, Instance: i.name, Text: s.text, Rule: rule})
	}
	return c.judge()
}

func (c *Checker) judge() error {
	for !c.Done() {
		cycle, violation := c.cycles.judge()
		if violation != nil {
			return c.breaks(violation)
		}
		if cycle == nil {
			return nil
		}
		c.count(cycle)
	}
	return nil
}

func (c *Checker) count(cycle *Cycle) {
	if cycle.Skipped == "" {
		c.whole++
		c.row++
	} else {
		c.row = 0
	}
	if c.opts.OnCycle != nil {
		c.opts.OnCycle(cycle)
	}
}

// nearMiss remembers a line that a person would take for one of the walkthrough.
func (c *Checker) nearMiss(l line) {
	for _, start := range []string{"EVENT", "HEALTHCHECK", "RESPONSE"} {
		if strings.HasPrefix(strings.ToUpper(strings.TrimSpace(l.message)), start) {
			c.near[l.instance] = seen{line: c.lines, text: l.message}
			return
		}
	}
}

func (c *Checker) breaks(v *Violation) error {
	if near, ok := c.near[v.Instance]; ok {
		v.Hint = fmt.Sprintf("line %d is not to the letter: %q", near.line, near.text)
	}
	c.broken = v
	return v
}

// Done says that as many whole cycles came in a row as the options ask for.
func (c *Checker) Done() bool { return c.opts.Cycles > 0 && c.row >= c.opts.Cycles }

// Whole is how many cycles counted.
func (c *Checker) Whole() int { return c.whole }

// Instances is how many instances the log showed.
func (c *Checker) Instances() int { return len(c.cycles.instances) }

// End says what to make of a log that has no more lines: nil, the *[Violation]
// that it showed, or an error that matches [ErrShort].
func (c *Checker) End() error {
	want := max(1, c.opts.Cycles)
	switch {
	case c.broken != nil:
		return c.broken
	case c.Done(), c.opts.Cycles == 0 && c.whole > 0:
		return nil
	case c.Instances() == 0:
		return fmt.Errorf("%w: no line of service %q in it", ErrShort, c.opts.Service)
	case c.Instances() < c.cycles.need():
		return fmt.Errorf("%w: %s seen, at least %d must take part (-instances)",
			ErrShort, count(c.Instances(), "instance"), c.cycles.need())
	default:
		return fmt.Errorf("%w: %s in a row, want %d", ErrShort, count(c.row, "whole cycle"), want)
	}
}
