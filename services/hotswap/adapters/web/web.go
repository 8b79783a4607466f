// Package web is a driving adapter: the HTTP interface of an instance.
package web

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"

	"github.com/go-chi/chi/v5"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/hotswap"
	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/service"
	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/service/problem"
	"github.com/adapter-hotswap/adapter-hotswap-go/services/hotswap/adapters/web/live"
)

// Animals is what GET /animal drives.
type Animals interface {
	Animal(ctx context.Context) (string, error)
}

// Control is what an operator sees and may decide. *hotswap.Instance is one.
type Control interface {
	Status() hotswap.Status
	Ready() <-chan struct{}
	Switch(target string, pin bool) error
	Release() error
}

// Web answers the requests of one instance.
type Web struct {
	name    string
	animals Animals
	control Control
	live    *live.Live
	faults  Faults
}

// New makes the HTTP interface of the instance called name. With faults it also
// has the routes that break things; nil leaves them out.
func New(name string, animals Animals, control Control, view *live.Live, faults Faults) *Web {
	return &Web{name: name, animals: animals, control: control, live: view, faults: faults}
}

// Routes returns the router. Every error is a problem document.
func (w *Web) Routes(log *slog.Logger, metrics http.Handler) chi.Router {
	r := service.NewRouter(log)
	r.Use(sameOrigin)
	mountPage(r)
	r.Get("/events", w.events)
	if w.faults != nil {
		w.mountChaos(r)
	}
	r.Get("/animal", w.animal)
	r.Get("/adapter", w.adapter)
	r.Put("/adapter", w.putAdapter)
	r.Get("/health", text("UP"))
	r.Get("/livez", text("OK"))
	r.Get("/readyz", w.ready)
	r.Method(http.MethodGet, "/metrics", metrics)
	return r
}

func text(body string) http.HandlerFunc {
	return func(out http.ResponseWriter, _ *http.Request) { writeText(out, body) }
}

func writeText(out http.ResponseWriter, body string) {
	out.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = io.WriteString(out, body)
}

// animal answers 503 when every adapter failed.
func (w *Web) animal(out http.ResponseWriter, r *http.Request) {
	animal, err := w.animals.Animal(r.Context())
	if err != nil {
		problem.Write(out, r, http.StatusServiceUnavailable, err.Error())
		return
	}
	writeText(out, animal)
}

// ready is 200 once the instance is on the cluster's adapter, or has waited long
// enough for the bus. The body says whether it is connected or decides alone.
func (w *Web) ready(out http.ResponseWriter, r *http.Request) {
	select {
	case <-w.control.Ready():
	default:
		problem.Write(out, r, http.StatusServiceUnavailable, "the log is not read yet")
		return
	}
	s := w.control.Status()
	if !s.Connected {
		writeText(out, fmt.Sprintf("ready on %s; the bus is away, deciding alone", s.Active))
		return
	}
	writeText(out, fmt.Sprintf("ready on %s; bus connected, log position %d", s.Active, s.Log.Position))
}
