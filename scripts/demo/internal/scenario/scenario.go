// Package scenario plays the limitations that the article ends with, one
// scenario each: first as the article has it, then with the cure. Everything is
// real: the composition of the hotswap binary, HTTP on loopback, the primary and
// the fallback, callers, and times that are only shortened. What the tables show
// is counted while it happens.
//
// Each scenario is a file of its own and reads like a script; the rest of the
// package is the theatre: stage.go and what stands on it.
package scenario

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// ErrUnknown is matched when no scenario has the name.
var ErrUnknown = errors.New("unknown scenario")

// Options say where to play.
type Options struct {
	Out io.Writer
	// AMQP is the URL of a broker, such as amqp://user:password@localhost:5672/;
	// "" plays on the bus in memory.
	AMQP string
}

// scenario is one limitation and its cure.
type scenario struct {
	name string
	// problem is the limitation in one line, about what happens without a cure.
	problem string
	// plot is what the scenario is about to do, in a few lines.
	plot []string
	// takes is how long it plays, roughly.
	takes time.Duration
	cast  cast
	// versions are the ways to play it: off, then on.
	versions []version
	play     func(*stage)
}

// cast is who plays.
type cast struct {
	instances int
	// callers are the callers of each instance; each asks, waits for the answer and
	// then for think, give or take a half.
	callers int
	think   time.Duration
	// settings are those of the hotswap instances in every version.
	settings settings
}

// String is for people.
func (c cast) String() string {
	if c.callers == 0 {
		return fmt.Sprintf("%d instances", c.instances)
	}
	return fmt.Sprintf("%d instances with %d callers each", c.instances, c.callers)
}

// settings are environment variables of the hotswap service.
type settings map[string]string

// version is one way to play a scenario.
type version struct {
	name     string // the column of the table
	says     string // what is different, for people
	settings settings
	standIn  standIn
}

func scenarios() []scenario {
	return []scenario{splitBrain(), herd(), holdDown(), decision(), quorum(), latency(), persistence(), pin()}
}

// All is the name that plays every scenario.
const All = "all"

// List writes the name of each scenario and what it is about, a line each.
func List(w io.Writer) error {
	var text strings.Builder
	var total time.Duration
	for _, s := range scenarios() {
		total += s.takes
		fmt.Fprintf(&text, "%-12s %s (%v)\n", s.name, s.problem, s.takes)
	}
	fmt.Fprintf(&text, "%-12s each of them, in this order (%v)\n", All, total)
	_, err := io.WriteString(w, text.String())
	return err
}

// Play plays the scenario of that name, or all of them, until the end or until
// ctx ends, which is no error. Any other error is of the stage, not of the play:
// ErrUnknown, a broker that is not to be had, a port that can't be opened.
func Play(ctx context.Context, name string, o Options) error {
	found := false
	for _, s := range scenarios() {
		if name != s.name && name != All {
			continue
		}
		found = true
		if _, err := s.perform(ctx, o); err != nil {
			return err
		}
		if ctx.Err() != nil {
			_, err := fmt.Fprintln(o.Out, "\nStopped.")
			return err
		}
	}
	if !found {
		return fmt.Errorf("%w %q: -scenario list names them", ErrUnknown, name)
	}
	return nil
}

// perform plays every version and shows the table. An end of ctx leaves the
// table out.
func (s scenario) perform(ctx context.Context, o Options) ([]outcome, error) {
	t := &teller{out: o.Out}
	s.announce(t)
	outcomes := make([]outcome, 0, len(s.versions))
	for _, v := range s.versions {
		t.heading(v.name + ": " + v.says)
		result, err := s.playVersion(ctx, v, t, o)
		if ctx.Err() != nil {
			return nil, t.err
		}
		if err != nil {
			return nil, fmt.Errorf("scenario %s, %s: %w", s.name, v.name, err)
		}
		outcomes = append(outcomes, result)
	}
	t.table(s.versions, outcomes)
	return outcomes, t.err
}

func (s scenario) announce(t *teller) {
	t.heading(fmt.Sprintf("%s: %s (%v)", strings.ToUpper(s.name), s.problem, s.takes))
	for _, line := range s.plot {
		t.line(line)
	}
	t.line(fmt.Sprintf("Cast: %v. Set by the scenario, whatever the environment says:", s.cast))
	t.line(s.cast.settings.over(base).String())
}

func (s scenario) playVersion(ctx context.Context, v version, t *teller, o Options) (outcome, error) {
	stage, err := open(ctx, s.cast, v, t, o.AMQP)
	if err != nil {
		return outcome{}, err
	}
	s.play(stage)
	return stage.close()
}
