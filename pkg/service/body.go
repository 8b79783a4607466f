package service

import (
	"io"
	"net/http"
	"time"
)

// withBodyDeadline bounds how long the body of a request may take to arrive,
// also where a handler never reads it and net/http drains it. The Server's own
// ReadTimeout won't do: it also ends the context of a request that was read long
// ago and is still being answered.
func withBodyDeadline(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength != 0 {
			connection := http.NewResponseController(w)
			if connection.SetReadDeadline(time.Now().Add(bodyTimeout)) == nil {
				r.Body = &timedBody{r.Body, connection}
			}
		}
		next.ServeHTTP(w, r)
	})
}

// timedBody lifts the deadline once the body has arrived.
type timedBody struct {
	io.ReadCloser
	connection *http.ResponseController
}

func (b *timedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err == io.EOF {
		b.connection.SetReadDeadline(time.Time{}) //nolint:errcheck // a connection that is gone needs no deadline
	}
	return n, err
}
