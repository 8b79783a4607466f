package service

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/service/problem"
)

// pipeListener brings connections that synctest understands: waiting for them
// counts as waiting for time.
type pipeListener struct {
	connections chan net.Conn
	closed      chan struct{}
}

func newPipeListener() *pipeListener {
	return &pipeListener{make(chan net.Conn), make(chan struct{})}
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.connections:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error   { close(l.closed); return nil }
func (l *pipeListener) Addr() net.Addr { return &net.UnixAddr{Name: "pipe", Net: "pipe"} }

func (l *pipeListener) dial() net.Conn {
	client, server := net.Pipe()
	l.connections <- server
	return client
}

// inVirtualTime runs test against a Serve whose clock is synctest's, then stops
// it and returns how long the stop took.
func inVirtualTime(t *testing.T, handler http.HandlerFunc, test func(*pipeListener)) (stop time.Duration) {
	synctest.Test(t, func(t *testing.T) {
		listener := newPipeListener()
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- Serve(ctx, NewLogger(io.Discard, "demo", ""), listener, handler) }()
		test(listener)
		began := time.Now()
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		stop = time.Since(began)
	})
	return stop
}

func TestASlowBodyIsRefusedWhetherItIsReadOrNot(t *testing.T) {
	for _, c := range []struct {
		contentType string
		status      int
	}{
		{"application/json", http.StatusRequestTimeout},
		{"text/plain", http.StatusUnsupportedMediaType},
	} {
		handler := func(w http.ResponseWriter, r *http.Request) {
			_, err := problem.Decode[struct{}](w, r)
			problem.WriteError(w, r, err)
		}
		inVirtualTime(t, handler, func(l *pipeListener) {
			conn := l.dial()
			defer conn.Close()
			began := time.Now()
			io.WriteString(conn, "PUT /fault HTTP/1.1\r\nHost: a\r\nContent-Type: "+c.contentType+"\r\nContent-Length: 9\r\n\r\n{")
			response, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer response.Body.Close()
			if response.StatusCode != c.status || time.Since(began) > bodyTimeout {
				t.Errorf("%s after %v", response.Status, time.Since(began))
			}
		})
	}
}

func TestABodyThatArrivedLeavesNoDeadline(t *testing.T) {
	handler := func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		select {
		case <-time.After(time.Hour):
			io.WriteString(w, "Chien")
		case <-r.Context().Done():
		}
	}
	inVirtualTime(t, handler, func(l *pipeListener) {
		c := l.dial()
		defer c.Close()
		io.WriteString(c, "PUT /animal HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}")
		checkChien(t, c)
	})
}

func checkChien(t *testing.T, c net.Conn) {
	t.Helper()
	response, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if body, err := io.ReadAll(response.Body); string(body) != "Chien" {
		t.Errorf("got %q, %v", body, err)
	}
}

func TestSlowHeadersAreCutOff(t *testing.T) {
	inVirtualTime(t, nil, func(l *pipeListener) {
		c := l.dial()
		defer c.Close()
		io.WriteString(c, "GET /animal HTTP/1.1\r\n")
		began := time.Now()
		io.Copy(io.Discard, c)
		if lasted := time.Since(began); lasted != headerTimeout {
			t.Errorf("cut off after %v", lasted)
		}
	})
}

func TestAnAnswerMayTakeLong(t *testing.T) {
	handler := func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-time.After(time.Hour):
			io.WriteString(w, "Chien")
		case <-r.Context().Done():
		}
	}
	inVirtualTime(t, handler, func(l *pipeListener) {
		c := l.dial()
		defer c.Close()
		io.WriteString(c, "GET /animal HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
		checkChien(t, c)
	})
}

func TestAStopIsBounded(t *testing.T) {
	hang := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	stop := inVirtualTime(t, hang, func(l *pipeListener) {
		c := l.dial()
		io.WriteString(c, "GET /animal HTTP/1.1\r\nHost: a\r\n\r\n")
		synctest.Wait()
	})
	if stop > gracePeriod+cutPeriod {
		t.Errorf("took %v", stop)
	}
}
