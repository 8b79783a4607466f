package scenario

import (
	"bytes"
	"strings"
	"sync"
	"testing"
	"time"
)

// A play is in real time: where the machine stands still for a good part of a
// timeout, healthy adapters time out too, and a claim that does not hold says
// nothing. Such a play is played again, in up to this many rounds.
const rounds = 3

// tooLong is how long the machine may stand still: the shortest timeout on a
// stage is 500 ms.
const tooLong = 100 * time.Millisecond

// performance is one play of a scenario.
type performance struct {
	scenario scenario
	out      bytes.Buffer
	broken   []string      // claims that don't hold
	stood    time.Duration // how long the machine stood still
}

// performAndCheck plays all scenarios at once, each on a stage of its own: they
// mostly wait, so the number of processors is no measure for how many may play.
func performAndCheck(t *testing.T, amqp string) {
	left := scenarios()
	for round := 1; len(left) > 0; round++ {
		all := performAll(t, left, amqp)
		left = nil
		for _, p := range all {
			if p.saysNothing() && round < rounds {
				left = append(left, p.scenario)
				continue
			}
			t.Run(p.scenario.name, p.judge)
		}
	}
}

func performAll(t *testing.T, all []scenario, amqp string) []*performance {
	performances := make([]*performance, len(all))
	var playing sync.WaitGroup
	for i, s := range all {
		performances[i] = &performance{scenario: s}
		playing.Go(func() { performances[i].play(t, amqp) })
	}
	playing.Wait()
	return performances
}

func (p *performance) play(t *testing.T, amqp string) {
	w := newWatch()
	versions, err := p.scenario.perform(t.Context(), Options{Out: &p.out, AMQP: amqp})
	p.stood = w.end()
	if err != nil {
		p.broken = []string{err.Error()}
		return
	}
	var c claim
	claims[p.scenario.name](&c, versions)
	p.broken = c.broken
}

// saysNothing reports whether what is broken may be the machine.
func (p *performance) saysNothing() bool { return len(p.broken) > 0 && p.stood > tooLong }

func (p *performance) judge(t *testing.T) {
	if testing.Verbose() {
		t.Log(p.out.String())
	}
	switch {
	case p.saysNothing():
		t.Skipf("needs a machine that is not overloaded: this one stood still for %v while it played, in %d rounds (%v)",
			p.stood.Round(time.Millisecond), rounds, p.broken)
	case len(p.broken) > 0:
		t.Errorf("%s\n%s", strings.Join(p.broken, "\n"), p.out.String())
	}
}
