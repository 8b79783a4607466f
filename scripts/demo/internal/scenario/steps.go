package scenario

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// goesOn reports whether the play does.
func (s *stage) goesOn() bool {
	if s.err == nil {
		s.err = s.ctx.Err()
	}
	return s.err == nil
}

func (s *stage) fail(err error) {
	if s.goesOn() {
		s.err = err
	}
}

// say tells the audience.
func (s *stage) say(format string, arguments ...any) {
	if s.goesOn() {
		s.tell.say(format, arguments...)
	}
}

// pause lets time pass.
func (s *stage) pause(d time.Duration) {
	if s.goesOn() {
		sleep(s.ctx, d)
	}
}

// comesTrue waits until condition does, for at most bound, and reports whether it
// did.
func (s *stage) comesTrue(bound time.Duration, condition func() bool) bool {
	deadline := time.Now().Add(bound)
	for s.goesOn() && time.Now().Before(deadline) {
		if condition() {
			return true
		}
		sleep(s.ctx, time.Millisecond)
	}
	return false
}

// await waits until condition comes true, which is sure to happen.
func (s *stage) await(what string, condition func() bool) {
	if !s.comesTrue(patience, condition) {
		s.fail(fmt.Errorf("waited in vain for %v until %s", patience, what))
	}
}

// awaitOn waits until the instances, by their numbers from 1, are on adapter; no
// numbers means all of them.
func (s *stage) awaitOn(adapter string, numbers ...int) {
	indexes := make([]int, len(numbers))
	for k, number := range numbers {
		indexes[k] = number - 1
	}
	s.await(fmt.Sprintf("instances %v are on the %s", numbers, adapter),
		func() bool { return s.recorder.all(adapter, indexes...) })
}

// converge waits until all are on adapter, and notes how long that took since
// from, for the row of the table that until names.
func (s *stage) converge(from time.Time, until, adapter string) {
	s.result.until = until
	if s.comesTrue(patience, func() bool { return s.recorder.all(adapter) }) {
		s.result.converged = s.recorder.lastMove(from).Sub(from)
		s.say("All %d instances are on the %s, %s after.", s.cast.instances, adapter, duration(s.result.converged))
	}
}

// extra adds a row to the table.
func (s *stage) extra(what string, value any) {
	s.result.extras = append(s.result.extras, extra{what, value})
}

// breaks has the primary fail in that mode, for everybody.
func (s *stage) breaks(mode string) {
	s.say("The primary fails: %s.", mode)
	s.order(mode)
}

// heals has the primary answer again.
func (s *stage) heals() time.Time {
	s.say("The primary is well again.")
	s.wellAt = time.Now()
	s.order("healthy")
	return s.wellAt
}

func (s *stage) order(mode string) {
	s.put(s.upstreams.primary+"/fault", fmt.Sprintf(`{"mode":%q}`, mode))
}

// operator has somebody PUT /adapter at the instance with that number.
func (s *stage) operator(number int, body string) {
	s.say("An operator: PUT /adapter %s at hotswap-%d.", body, number)
	s.put(s.instances[number-1].url()+"/adapter", body)
}

func (s *stage) put(url, body string) {
	if !s.goesOn() {
		return
	}
	request, err := http.NewRequestWithContext(s.ctx, http.MethodPut, url, strings.NewReader(body))
	if err != nil {
		s.fail(err)
		return
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := s.callers.client.Do(request)
	if err != nil {
		s.fail(err)
		return
	}
	response.Body.Close()
	if response.StatusCode != http.StatusOK {
		s.fail(fmt.Errorf("PUT %s %s: HTTP %d", url, body, response.StatusCode))
	}
}

// ask returns what the instance with that number answers.
func (s *stage) ask(number int, path string) string {
	if !s.goesOn() {
		return ""
	}
	body, err := s.callers.get(s.ctx, s.instances[number-1].url()+path)
	if err != nil {
		s.fail(err)
	}
	return body
}

// audit reads the log.
func (s *stage) audit() audit {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(s.ctx), stepBound)
	defer cancel()
	a, err := s.wires.audit(ctx)
	if err != nil {
		s.fail(fmt.Errorf("read the log: %w", err))
	}
	return a
}

// gate is the path of the instance with that number to the primary.
func (s *stage) gate(number int) *gate { return s.gates[number-1] }

// cut takes the instance with that number off the bus.
func (s *stage) cut(number int) {
	if s.goesOn() {
		s.wires.cut(number - 1)
	}
}

// mend lets the instance with that number back on the bus, and returns when it
// was.
func (s *stage) mend(number int) time.Time {
	if !s.goesOn() {
		return time.Now()
	}
	s.wires.mend(number - 1)
	s.await("the instance is back on the bus", func() bool {
		return read(s.recorder, func() bool { return s.recorder.connected[number-1] })
	})
	return read(s.recorder, func() time.Time { return s.recorder.regained })
}

// burst has n callers ask each instance once, all at the same moment, and waits
// for the answers.
func (s *stage) burst(n int) {
	if !s.goesOn() {
		return
	}
	urls := make([]string, len(s.instances))
	for k, i := range s.instances {
		urls[k] = i.url()
	}
	s.callers.burst(s.ctx, urls, n)
}

// on is the adapter of the instance with that number.
func (s *stage) on(number int) string {
	return read(s.recorder, func() string { return s.recorder.active[number-1] })
}

// timeouts are those suffered so far.
func (s *stage) timeouts() int { return read(s.recorder, func() int { return s.recorder.timeouts }) }
