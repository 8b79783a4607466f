package flaky

import (
	"net"
	"net/http"
	"time"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/service/problem"
	"github.com/adapter-hotswap/adapter-hotswap-go/services/upstream"
)

// animal answers GET /animal as the fault in force says. A request that hangs
// goes on with what is in force when the hang is over.
func (s *Service) animal(w http.ResponseWriter, r *http.Request) {
	phase := s.schedule.now()
	for phase.fault.Kind == Timeout {
		s.wait(r, phase.over)
		phase = s.schedule.now()
	}
	switch phase.fault.Kind {
	case Error:
		problem.Write(w, r, phase.fault.Status, "the primary fails on purpose")
		return
	case Reset:
		reset(w)
		return
	case Garbage:
		garbage(w)
		return
	case Slow:
		s.delay(r, phase.fault.Delay)
	}
	upstream.Text(w, http.StatusOK, s.settings.Animal)
}

// wait returns when done is closed. When the caller leaves first, or the service
// stops, it ends the request with a closed connection and no answer.
func (s *Service) wait(r *http.Request, done <-chan struct{}) {
	select {
	case <-done:
	case <-r.Context().Done():
		panic(http.ErrAbortHandler)
	case <-s.stopping:
		panic(http.ErrAbortHandler)
	}
}

func (s *Service) delay(r *http.Request, delay time.Duration) {
	over := make(chan struct{})
	timer := time.AfterFunc(delay, func() { close(over) })
	defer timer.Stop()
	s.wait(r, over)
}

// reset breaks the connection so that the caller's network stack reports a reset
// and not an orderly end: a linger of 0 makes closing send RST.
func reset(w http.ResponseWriter) {
	connection, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if tcp, ok := connection.(*net.TCPConn); ok {
		tcp.SetLinger(0) //nolint:errcheck // it is closed next in any case
	}
	connection.Close()
}

// garbage is what a proxy in between may say with a cheerful status.
func garbage(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Write([]byte("<html><body>It works!</body></html>\n")) //nolint:errcheck // the caller left: nobody to tell
}
