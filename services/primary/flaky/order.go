package flaky

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/service/problem"
)

// order is the body of PUT /fault. What is left out has a standard value; what
// makes no sense together with the mode is refused, so that nobody on a stage
// waits for an effect that a field never had.
type order struct {
	Mode string `json:"mode"`
	// For is how long it lasts, such as "20s", after which the cycle resumes.
	For *string `json:"for"`
	// Status is the 5xx status of an error.
	Status *int `json:"status"`
	// Delay is how late a slow answer comes, such as "500ms".
	Delay *string `json:"delay"`
}

var modes = []string{
	modeCycle, modeHealthy, string(Timeout), string(Error), string(Reset), string(Slow), string(Garbage),
}

// parse turns the order into a fault and how long it lasts, 0 for no limit. Its
// error is a *problem.Error.
func (o order) parse() (fault Fault, lasts time.Duration, err error) {
	if err := o.checkFields(); err != nil {
		return Fault{}, 0, err
	}
	if fault, err = o.parseFault(); err != nil {
		return Fault{}, 0, err
	}
	if o.For != nil {
		lasts, err = within("for", *o.For, maxFor)
	}
	return fault, lasts, err
}

func (o order) checkFields() error {
	switch {
	case !slices.Contains(modes, o.Mode):
		return refuse("field \"mode\" must be one of %s, not %q", strings.Join(modes, ", "), o.Mode)
	case o.For != nil && o.Mode == modeCycle:
		return refuse("field \"for\" does not go with mode \"cycle\", which has no end")
	case o.Status != nil && o.Mode != string(Error):
		return refuse("field \"status\" goes with mode \"error\" only")
	case o.Delay != nil && o.Mode != string(Slow):
		return refuse("field \"delay\" goes with mode \"slow\" only")
	}
	return nil
}

func (o order) parseFault() (fault Fault, err error) {
	fault = o.standardFault()
	if o.Status != nil {
		fault.Status = *o.Status
		if fault.Status < 500 || fault.Status > 599 {
			return Fault{}, refuse("field \"status\" must be from 500 to 599, not %d", fault.Status)
		}
	}
	if o.Delay != nil {
		fault.Delay, err = within("delay", *o.Delay, maxDelay)
	}
	return fault, err
}

func (o order) standardFault() Fault {
	if o.Mode == modeCycle || o.Mode == modeHealthy {
		return newFault(None)
	}
	return newFault(Kind(o.Mode))
}

func within(field, text string, most time.Duration) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 || d > most {
		return 0, refuse("field %q must be a duration above 0 and up to %v, such as \"20s\", not %q", field, most, text)
	}
	return d, nil
}

func refuse(format string, args ...any) error {
	return problem.Errorf(http.StatusUnprocessableEntity, format, args...)
}
