package web

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/service/problem"
	"github.com/adapter-hotswap/adapter-hotswap-go/services/hotswap/adapters/web/live"
)

// Faults is the fault API of the primary.
type Faults interface {
	Fault(ctx context.Context) (json.RawMessage, error)
	// SetFault returns the upstream's answer as it is, refusals included.
	SetFault(ctx context.Context, order []byte) (status int, answer []byte, err error)
}

// standardCut is how long an instance stays off the bus unless told otherwise.
const standardCut = 20 * time.Second

// mountChaos adds the routes that break things, and heal them.
func (w *Web) mountChaos(r chi.Router) {
	r.Get("/chaos/primary", w.getFault)
	r.Put("/chaos/primary", w.putFault)
	r.Put("/chaos/instances/{name}", w.putInstance)
	r.Post("/chaos/reset", w.reset)
}

func (w *Web) getFault(out http.ResponseWriter, r *http.Request) {
	answer, err := w.faults.Fault(r.Context())
	if err != nil {
		problem.Write(out, r, http.StatusBadGateway, "the primary does not say what is in force: "+err.Error())
		return
	}
	relay(out, http.StatusOK, answer)
}

// putFault hands the order to the primary, whose rules they are, and its answer
// to the caller.
func (w *Web) putFault(out http.ResponseWriter, r *http.Request) {
	order, err := io.ReadAll(http.MaxBytesReader(out, r.Body, problem.MaxBody))
	if err != nil {
		problem.Write(out, r, http.StatusRequestEntityTooLarge, "the body is too large or did not arrive")
		return
	}
	status, answer, err := w.faults.SetFault(r.Context(), order)
	if err != nil {
		problem.Write(out, r, http.StatusBadGateway, "the primary does not answer: "+err.Error())
		return
	}
	w.live.Refresh()
	if status >= http.StatusBadRequest {
		relayProblem(out, r, status, answer)
		return
	}
	relay(out, status, answer)
}

func relay(out http.ResponseWriter, status int, body []byte) {
	out.Header().Set("Content-Type", "application/json")
	out.Header().Set("X-Content-Type-Options", "nosniff")
	out.WriteHeader(status)
	out.Write(body) //nolint:errcheck // the caller left: nobody to tell
}

// relayProblem says what the primary refused, as this route's own problem.
func relayProblem(out http.ResponseWriter, r *http.Request, status int, body []byte) {
	var p problem.Document
	if json.Unmarshal(body, &p) != nil || p.Detail == "" {
		p.Detail = "the primary refuses the order"
	}
	problem.Write(out, r, status, p.Detail)
}

// instanceOrder is the body of PUT /chaos/instances/{name}.
type instanceOrder struct {
	// Bus is "cut" or "connected".
	Bus string `json:"bus"`
	// For is how long a cut lasts, such as "20s".
	For *string `json:"for"`
}

func (o instanceOrder) order(name string) (live.Order, error) {
	lasts := standardCut
	switch {
	case o.Bus != "cut" && o.Bus != "connected":
		return live.Order{}, problem.Errorf(http.StatusUnprocessableEntity, `field "bus" must be "cut" or "connected", not %q`, o.Bus)
	case o.For != nil && o.Bus != "cut":
		return live.Order{}, problem.Errorf(http.StatusUnprocessableEntity, `field "for" goes with "cut" only`)
	case o.For != nil:
		d, err := time.ParseDuration(*o.For)
		if err != nil || d < time.Millisecond || d > live.MaxCut {
			return live.Order{}, problem.Errorf(http.StatusUnprocessableEntity,
				`field "for" must be a duration from 1ms to %v, such as "20s", not %q`, live.MaxCut, *o.For)
		}
		lasts = d
	}
	if o.Bus == "connected" {
		return live.Order{Instance: name}, nil
	}
	return live.Order{Instance: name, Cut: true, For: lasts.Milliseconds()}, nil
}

// instanceName is the name in the path. The router takes it from the path as it
// was sent where that says more than the decoded one, as %2F does.
func instanceName(r *http.Request) string {
	name := chi.URLParam(r, "name")
	if r.URL.RawPath == "" {
		return name
	}
	decoded, err := url.PathUnescape(name)
	if err != nil {
		return name
	}
	return decoded
}

// putInstance answers with what the instance itself reports after the order.
func (w *Web) putInstance(out http.ResponseWriter, r *http.Request) {
	body, err := problem.Decode[instanceOrder](out, r)
	var order live.Order
	if err == nil {
		order, err = body.order(instanceName(r))
	}
	var report live.Report
	if err == nil {
		report, err = w.live.Command(r.Context(), order)
	}
	switch {
	case errors.Is(err, live.ErrUnknownInstance):
		problem.Write(out, r, http.StatusNotFound, err.Error())
	case errors.Is(err, live.ErrStopped):
		problem.Write(out, r, http.StatusServiceUnavailable, "the service stops")
	case err != nil:
		problem.WriteError(out, r, err)
	default:
		answer, _ := json.Marshal(report) // as it came in JSON
		relay(out, http.StatusOK, answer)
	}
}

// reset leaves no fault behind: the primary is healed and handed back to its
// cycle, pins are released, and every instance is back on the bus.
func (w *Web) reset(out http.ResponseWriter, r *http.Request) {
	status, answer, err := w.faults.SetFault(r.Context(), []byte(`{"mode":"cycle"}`))
	if err == nil && status >= http.StatusBadRequest {
		err = errors.New("it refuses the order")
	}
	if err != nil {
		err = problem.Errorf(http.StatusBadGateway, "the primary was not reset: %v", err)
	}
	if mending := w.live.MendAll(r.Context()); mending != nil {
		err = errors.Join(err, problem.Errorf(http.StatusBadGateway, "instances that are cut off come back by themselves only: %v", mending))
	}
	err = errors.Join(err, rejected(w.control.Release()))
	w.live.Refresh()
	if err != nil {
		problem.Write(out, r, http.StatusBadGateway, strings.ReplaceAll(err.Error(), "\n", "; "))
		return
	}
	relay(out, http.StatusOK, answer)
}
