package web

import (
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/service/problem"
	"github.com/adapter-hotswap/adapter-hotswap-go/services/hotswap/adapters/web/live"
)

// Times of an event stream.
const (
	// beatEvery lets a page find out that its connection is dead, as after a
	// laptop's sleep.
	beatEvery = 4 * time.Second
	// writeTimeout is how long a reader may take none of what it is sent, once
	// the buffers of the connection are full.
	writeTimeout = 5 * time.Second
	// retryAfter is when a page comes back after the stream has ended, in
	// milliseconds.
	retryAfter = "1000"
)

// events streams what the page shows, as server-sent events: one with everything
// first, or what was missed since the Last-Event-ID, then what changes. It ends
// when the reader leaves or falls behind, and when the service stops.
func (w *Web) events(out http.ResponseWriter, r *http.Request) {
	reader, leave, err := w.live.Join(r.Header.Get("Last-Event-ID"))
	if err != nil {
		refuseReader(out, r, err)
		return
	}
	defer leave()
	header := out.Header()
	header.Set("Content-Type", "text/event-stream")
	header.Set("Cache-Control", "no-store")
	header.Set("X-Accel-Buffering", "no") // or a proxy keeps the events for itself
	if r.Method == http.MethodHead {
		return
	}
	s := stream{out, http.NewResponseController(out)}
	if !s.write("retry: ", []byte(retryAfter), "\n\n") {
		return
	}
	beat := time.NewTicker(beatEvery)
	defer beat.Stop()
	for {
		select {
		case m, open := <-reader.C:
			if !open || !s.write("id: "+m.ID+"\ndata: ", m.Data, "\n\n") {
				return
			}
		case <-beat.C:
			if !s.write("event: beat\ndata: ", []byte("{}"), "\n\n") {
				return
			}
		case <-r.Context().Done():
			return
		}
	}
}

func refuseReader(out http.ResponseWriter, r *http.Request, err error) {
	out.Header().Set("Retry-After", "2")
	detail := "the service stops"
	if errors.Is(err, live.ErrFull) {
		detail = err.Error()
	}
	problem.Write(out, r, http.StatusServiceUnavailable, detail)
}

// stream writes to a reader that may have stopped reading.
type stream struct {
	out     http.ResponseWriter
	control *http.ResponseController
}

// write reports whether the reader took it.
func (s stream) write(head string, data []byte, tail string) bool {
	_ = s.control.SetWriteDeadline(time.Now().Add(writeTimeout)) // best effort: not every connection has one
	_, err := io.WriteString(s.out, head)
	if err == nil {
		_, err = s.out.Write(data)
	}
	if err == nil {
		_, err = io.WriteString(s.out, tail)
	}
	return err == nil && s.control.Flush() == nil
}
