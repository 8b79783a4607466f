package problem

import (
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strings"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"
)

// NotFound answers a path that no route has.
func NotFound(w http.ResponseWriter, r *http.Request) {
	Write(w, r, http.StatusNotFound, "nothing is served at "+r.URL.EscapedPath())
}

// MethodNotAllowed answers a method that the path's routes lack, and names those
// that it has.
func MethodNotAllowed(w http.ResponseWriter, r *http.Request) {
	allowed := strings.Join(allowedMethods(r), ", ")
	w.Header().Set("Allow", allowed)
	Write(w, r, http.StatusMethodNotAllowed, fmt.Sprintf("%s takes %s, not %s", r.URL.EscapedPath(), allowed, r.Method))
}

// allowedMethods asks the router, which does not tell a custom handler.
func allowedMethods(r *http.Request) []string {
	routes := chi.RouteContext(r.Context()).Routes
	var allowed []string
	for _, method := range []string{
		http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
	} {
		if routes.Match(chi.NewRouteContext(), method, r.URL.Path) {
			allowed = append(allowed, method)
		}
	}
	return allowed
}

// Recover is a middleware that turns a panic of a handler into one log line and,
// while nothing was sent yet, a 500. The service goes on. A handler that aborts
// its answer with http.ErrAbortHandler is left alone.
func Recover(log *slog.Logger) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			sent := middleware.NewWrapResponseWriter(w, r.ProtoMajor)
			defer func() {
				cause := recover()
				if cause == nil {
					return
				}
				if cause == http.ErrAbortHandler {
					panic(cause)
				}
				log.Error(fmt.Sprintf("PANIC: %s %s: %v", r.Method, r.URL.EscapedPath(), cause), "stack", string(debug.Stack()))
				if sent.Status() != 0 {
					panic(http.ErrAbortHandler)
				}
				Write(sent, r, http.StatusInternalServerError, "unexpected error")
			}()
			next.ServeHTTP(sent, r)
		})
	}
}
