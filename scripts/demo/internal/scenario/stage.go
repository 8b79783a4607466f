package scenario

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// stage is one run of the whole system, on which a scenario plays. Its steps, in
// steps.go, do nothing once something has failed or the context has ended, so that
// a scenario reads as a list of what happens; close says what went wrong.
type stage struct {
	ctx      context.Context
	cast     cast
	version  version
	tell     *teller
	recorder *recorder
	callers  *callers
	wires    wires

	upstreams *upstreams
	gates     []*gate
	instances []*instance

	err    error
	result outcome
	wellAt time.Time // when the primary was well again; zero if it never was ill
}

// patience bounds waits for what is sure to come.
const patience = 30 * time.Second

// open sets the stage, waits until every instance is ready, and has the callers
// call.
func open(ctx context.Context, c cast, v version, t *teller, amqp string) (*stage, error) {
	wires, err := wiresOf(ctx, amqp, c.instances)
	if err != nil {
		return nil, err
	}
	r := newRecorder(c.instances)
	s := &stage{ctx: ctx, cast: c, version: v, tell: t, recorder: r, callers: newCallers(r), wires: wires}
	s.result.firstSecond, s.result.converged, s.result.until = notSeen, notSeen, "to converge"
	t.start()
	if s.err = s.build(); s.err != nil {
		_, err := s.close()
		return nil, err
	}
	for _, i := range s.instances {
		i.call()
	}
	return s, nil
}

func (s *stage) build() error {
	upstreams, err := openUpstreams(s.cast.instances, s.recorder)
	if err != nil {
		return err
	}
	s.upstreams, s.gates = upstreams, upstreams.gates
	for i := range s.cast.instances {
		s.instances = append(s.instances, &instance{stage: s, index: i, name: fmt.Sprintf("hotswap-%d", i+1)})
	}
	return each(s.instances, (*instance).start)
}

// each runs f on all of them at the same time.
func each[T any](all []T, f func(T) error) error {
	errs := make([]error, len(all))
	var running sync.WaitGroup
	for i, one := range all {
		running.Go(func() { errs[i] = f(one) })
	}
	running.Wait()
	return errors.Join(errs...)
}

// close ends everything and returns what was counted.
func (s *stage) close() (outcome, error) {
	for _, i := range s.instances {
		i.hangUp()
	}
	switches := s.audit().switches
	failures := []error{s.err, each(s.instances, (*instance).stop)}
	if s.upstreams != nil {
		failures = append(failures, s.upstreams.close())
	}
	s.callers.client.CloseIdleConnections()
	failures = append(failures, s.wires.close())
	s.count(switches)
	return s.result, errors.Join(failures...)
}

// count brings in what was counted while it happened.
func (s *stage) count(switches int) {
	s.result.switches = switches
	if !s.wellAt.IsZero() {
		s.result.firstSecond = s.recorder.firstSecond(s.wellAt)
	}
	read(s.recorder, func() any {
		r := s.recorder
		s.result.timeouts = r.timeouts
		s.result.byPrimary, s.result.byFallback = r.answers["Chien"], r.answers["Chat"]
		for _, n := range r.answers {
			s.result.byNobody += n
		}
		s.result.byNobody -= s.result.byPrimary + s.result.byFallback
		return nil
	})
}
