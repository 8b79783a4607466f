package flaky

import (
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

// cycle is what the primary does by itself: healthy, failing, healthy, …
type cycle struct {
	healthyFor time.Duration
	failingFor time.Duration // 0: it stays healthy
	fault      Fault
}

// phase is a stretch of time with one fault, or none. It does not change.
type phase struct {
	cycling bool          // part of the cycle, not asked for by hand
	fault   Fault         // None while healthy
	lasts   time.Duration // 0: until told otherwise
	ends    time.Time     // zero: until told otherwise
	over    chan struct{} // closed when the next phase has begun
}

// schedule knows the phase in force and moves on to the next in time. Each phase
// that begins is one line of the log.
type schedule struct {
	cycle   cycle
	log     *slog.Logger
	current atomic.Pointer[phase]

	mu      sync.Mutex // guards the step from one phase to the next
	timer   *time.Timer
	stopped bool
}

// newSchedule returns a schedule that is healthy and has no clock yet: resume
// starts it.
func newSchedule(c cycle, log *slog.Logger) *schedule {
	s := &schedule{cycle: c, log: log}
	s.current.Store(&phase{cycling: true, fault: newFault(None), over: make(chan struct{})})
	return s
}

// now returns the phase in force. It never waits.
func (s *schedule) now() *phase { return s.current.Load() }

// resume begins the cycle afresh, with its healthy phase.
func (s *schedule) resume() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.begin(s.healthyPhase())
}

// set puts fault in force for a while, after which the cycle resumes. With 0 it
// lasts until told otherwise.
func (s *schedule) set(fault Fault, lasts time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.begin(&phase{fault: fault, lasts: lasts})
}

// stop leaves the phase as it is, for good.
func (s *schedule) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopped = true
	s.stopTimer()
}

func (s *schedule) healthyPhase() *phase {
	next := &phase{cycling: true, fault: newFault(None), lasts: s.cycle.healthyFor}
	if s.cycle.failingFor == 0 {
		next.lasts = 0
	}
	return next
}

// begin needs the lock.
func (s *schedule) begin(next *phase) {
	if s.stopped {
		return
	}
	s.stopTimer()
	next.over = make(chan struct{})
	if next.lasts > 0 {
		next.ends = time.Now().Add(next.lasts)
		s.timer = time.AfterFunc(next.lasts, func() { s.end(next) })
	}
	close(s.current.Swap(next).over)
	s.announce(next)
}

// end begins what follows p, unless somebody asked for something else while the
// timer fired.
func (s *schedule) end(p *phase) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.now() != p:
	case p.cycling && p.fault.Kind == None:
		s.begin(&phase{cycling: true, fault: s.cycle.fault, lasts: s.cycle.failingFor})
	default:
		s.begin(s.healthyPhase())
	}
}

func (s *schedule) stopTimer() {
	if s.timer != nil {
		s.timer.Stop()
	}
}

func (s *schedule) announce(p *phase) {
	lasts := "until told otherwise"
	if p.lasts > 0 {
		lasts = fmt.Sprintf("for %v", p.lasts)
	}
	s.log.Info(fmt.Sprintf("FAULT: %v %s", p.fault, lasts), "fault", p.fault.Kind, "cycling", p.cycling, "lasts", p.lasts)
}
