package flaky

import (
	"encoding/json"
	"net/http"
	"time"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/service/problem"
)

// Modes of PUT /fault that are no Kind.
const (
	modeCycle   = "cycle"
	modeHealthy = "healthy"
)

const (
	maxFor   = 24 * time.Hour
	maxDelay = time.Minute
)

// Report is the answer of GET and PUT /fault: what is in force now.
type Report struct {
	// Mode is what was asked for: "cycle", "healthy" or a Kind.
	Mode string `json:"mode"`
	// Phase is "healthy" or "failing". Only in the cycle.
	Phase string `json:"phase,omitempty"`
	// Fault is what callers of GET /animal meet now.
	Fault Kind `json:"fault"`
	// Status belongs to an Error, Delay to a Slow.
	Status int    `json:"status,omitempty"`
	Delay  string `json:"delay,omitempty"`
	// Remaining is how long the phase still lasts, such as "12.3s". Empty when it
	// lasts until told otherwise.
	Remaining string `json:"remaining,omitempty"`
}

func report(p *phase) Report {
	r := Report{Mode: string(p.fault.Kind), Fault: p.fault.Kind, Status: p.fault.Status}
	if p.fault.Kind == None {
		r.Mode = modeHealthy
	}
	if p.cycling {
		r.Mode, r.Phase = modeCycle, "failing"
		if p.fault.Kind == None {
			r.Phase = "healthy"
		}
	}
	if p.fault.Kind == Slow {
		r.Delay = p.fault.Delay.String()
	}
	if !p.ends.IsZero() {
		r.Remaining = max(0, time.Until(p.ends)).Round(100 * time.Millisecond).String()
	}
	return r
}

func (s *Service) getFault(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(report(s.schedule.now())) //nolint:errcheck // the caller left: nobody to tell
}

// putFault returns when the fault is in force.
func (s *Service) putFault(w http.ResponseWriter, r *http.Request) {
	body, err := problem.Decode[order](w, r)
	if err != nil {
		problem.WriteError(w, r, err)
		return
	}
	fault, lasts, err := body.parse()
	if err != nil {
		problem.WriteError(w, r, err)
		return
	}
	if body.Mode == modeCycle {
		s.schedule.resume()
	} else {
		s.schedule.set(fault, lasts)
	}
	s.getFault(w, r)
}
