package web

import (
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/hotswap"
	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/service/problem"
)

// adapterDocument is the body of GET /adapter, and of the answer to a PUT.
type adapterDocument struct {
	Instance string `json:"instance"`
	ID       string `json:"id"`
	Active   string `json:"active"`
	Epoch    uint64 `json:"epoch"`
	// InForce and Position are what the log says. InForce is empty while no
	// switch was ever made.
	InForce   string           `json:"inForce"`
	Position  hotswap.Position `json:"position"`
	Reason    string           `json:"reason,omitempty"`
	Origin    string           `json:"origin,omitempty"`
	Since     *time.Time       `json:"since,omitempty"`
	Connected bool             `json:"connected"`
	Pinned    bool             `json:"pinned"`
	// Pending is true until the log holds this instance's newest decision.
	Pending   bool       `json:"pending"`
	Alone     bool       `json:"alone"`
	Ramping   bool       `json:"ramping"`
	HoldDown  string     `json:"holdDown,omitempty"`
	HeldUntil *time.Time `json:"heldUntil,omitempty"`
}

func (w *Web) document() adapterDocument {
	s := w.control.Status()
	d := adapterDocument{Instance: w.name, ID: s.ID, Active: s.Active, Epoch: s.Epoch,
		InForce: s.Log.Adapter, Position: s.Log.Position, Reason: s.Log.Reason, Origin: s.Log.Origin,
		Since: timeOrNil(s.Log.Time), Connected: s.Connected, Pinned: s.Pinned, Pending: s.Pending,
		Alone: s.Alone, Ramping: s.Ramping, HeldUntil: timeOrNil(s.HeldUntil)}
	if s.HoldDown > 0 {
		d.HoldDown = s.HoldDown.String()
	}
	return d
}

func timeOrNil(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

func (w *Web) adapter(out http.ResponseWriter, _ *http.Request) { w.writeDocument(out) }

func (w *Web) writeDocument(out http.ResponseWriter) {
	out.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(out).Encode(w.document())
}

// order is the body of PUT /adapter: {"target":"fallback"} switches,
// {"target":"fallback","pinned":true} switches and pins, {"pinned":false}
// releases the pin.
type order struct {
	Target *string `json:"target"`
	Pinned *bool   `json:"pinned"`
}

func (w *Web) putAdapter(out http.ResponseWriter, r *http.Request) {
	o, err := problem.Decode[order](out, r)
	if err == nil {
		err = w.obey(o)
	}
	if err != nil {
		problem.WriteError(out, r, err)
		return
	}
	w.writeDocument(out)
}

func (w *Web) obey(o order) error {
	switch {
	case o.Target != nil:
		return rejected(w.control.Switch(*o.Target, o.Pinned != nil && *o.Pinned))
	case o.Pinned == nil:
		return problem.Errorf(http.StatusUnprocessableEntity, `must have "target", the adapter to switch to, or "pinned"`)
	case *o.Pinned:
		return rejected(w.control.Switch(w.control.Status().Active, true))
	}
	return rejected(w.control.Release())
}

// rejected says whose fault an error is.
func rejected(err error) error {
	switch {
	case errors.Is(err, hotswap.ErrUnknownAdapter):
		return problem.Errorf(http.StatusUnprocessableEntity, "target: %v", err)
	case errors.Is(err, hotswap.ErrClosed):
		return problem.Errorf(http.StatusServiceUnavailable, "%v", err)
	}
	return err
}
