// Package upstream holds what the two upstream services have in common: the
// routes that every upstream answers. Neither knows that anybody swaps adapters.
package upstream

import (
	"io"
	"net/http"

	"github.com/go-chi/chi/v5"
)

// Mount adds the routes of an upstream to router:
//
//	GET /animal   animal
//	GET /health   "UP", or 503 "DOWN" while up says false; the article's health check
//	GET /livez    200 as long as the process serves
//
// It calls up from the goroutine of each request.
func Mount(router chi.Router, animal http.Handler, up func() bool) {
	router.Method(http.MethodGet, "/animal", animal)
	router.Get("/health", func(w http.ResponseWriter, _ *http.Request) {
		if up() {
			Text(w, http.StatusOK, "UP")
		} else {
			Text(w, http.StatusServiceUnavailable, "DOWN")
		}
	})
	router.Get("/livez", func(w http.ResponseWriter, _ *http.Request) {
		Text(w, http.StatusOK, "OK")
	})
}

// Text answers with body and nothing else, not even a newline: callers compare
// the whole of it.
func Text(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	io.WriteString(w, body) //nolint:errcheck // the caller left: nobody to tell
}
