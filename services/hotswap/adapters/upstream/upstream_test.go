package upstream_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/hotswap"
	"github.com/adapter-hotswap/adapter-hotswap-go/services/hotswap/adapters/upstream"
	"github.com/adapter-hotswap/adapter-hotswap-go/services/hotswap/animal"
)

var _ animal.AnimalPort = (*upstream.Adapter)(nil)

// adapterFor returns an adapter of a service that answers with handler.
func adapterFor(t *testing.T, handler http.HandlerFunc) *upstream.Adapter {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	base, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	return upstream.New(base)
}

func answer(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// hijacked answers with raw bytes, then closes the connection.
func hijacked(raw string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err == nil {
			_, _ = io.WriteString(conn, raw)
			_ = conn.Close()
		}
	}
}

func TestAnimal(t *testing.T) {
	for name, c := range map[string]struct {
		handler http.HandlerFunc
		want    string
		err     error // matched
		failure bool
		reason  string
	}{
		"an animal":         {handler: answer(200, "Chien"), want: "Chien"},
		"a line":            {handler: answer(200, "Chat\n"), want: "Chat"},
		"another script":    {handler: answer(200, "狗"), want: "狗"},
		"an accent":         {handler: answer(200, "Éléphant"), want: "Éléphant"},
		"HTTP 500":          {handler: answer(500, "oops"), err: upstream.ErrStatus, failure: true, reason: "error (HTTP 500)"},
		"HTTP 503":          {handler: answer(503, ""), err: upstream.ErrStatus, failure: true, reason: "error (HTTP 503)"},
		"HTTP 404":          {handler: answer(404, "no"), err: upstream.ErrStatus},
		"empty body":        {handler: answer(200, ""), err: upstream.ErrNoAnimal, failure: true, reason: "invalid answer"},
		"a page":            {handler: answer(200, "<html>Sign in to the wifi</html>"), err: upstream.ErrNoAnimal, failure: true, reason: "invalid answer"},
		"a number":          {handler: answer(200, "42"), err: upstream.ErrNoAnimal, failure: true, reason: "invalid answer"},
		"binary":            {handler: answer(200, "\xff\xfe"), err: upstream.ErrNoAnimal, failure: true, reason: "invalid answer"},
		"a very long word":  {handler: answer(200, strings.Repeat("a", 1<<20)), err: upstream.ErrNoAnimal, failure: true, reason: "invalid answer"},
		"closed at once":    {handler: hijacked(""), err: io.EOF, failure: true, reason: "connection reset"},
		"cut in the middle": {handler: hijacked("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nCh"), err: io.ErrUnexpectedEOF, failure: true, reason: "connection reset"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := adapterFor(t, c.handler).Animal(t.Context())
			if got != c.want || !errors.Is(err, c.err) {
				t.Fatalf("got %q, %v; want %q, %v", got, err, c.want, c.err)
			}
			if err == nil {
				return
			}
			if hotswap.IsFailure(err) != c.failure {
				t.Errorf("%v: failure is %v, want %v", err, !c.failure, c.failure)
			}
			if c.failure && hotswap.Reason(err) != c.reason {
				t.Errorf("reason %q, want %q", hotswap.Reason(err), c.reason)
			}
		})
	}
}

func TestNobodyListens(t *testing.T) {
	server := httptest.NewServer(nil)
	base, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	server.Close()
	_, err = upstream.New(base).Animal(t.Context())
	if !hotswap.IsFailure(err) || hotswap.Reason(err) != "connection refused" {
		t.Errorf("got %v, reason %q", err, hotswap.Reason(err))
	}
}

func TestTheContextEndsACall(t *testing.T) {
	asked := make(chan struct{})
	adapter := adapterFor(t, func(_ http.ResponseWriter, r *http.Request) {
		close(asked)
		<-r.Context().Done()
	})
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-asked; cancel() }()
	if _, err := adapter.Animal(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
}

func TestHealth(t *testing.T) {
	for name, c := range map[string]struct {
		handler http.HandlerFunc
		err     error
	}{
		"UP":                {answer(200, "UP"), nil},
		"UP with a newline": {answer(200, "UP\n"), nil},
		"DOWN":              {answer(503, "DOWN"), upstream.ErrDown},
		"200 but not UP":    {answer(200, "maybe"), upstream.ErrDown},
		"closed":            {hijacked(""), io.EOF},
	} {
		t.Run(name, func(t *testing.T) {
			if err := adapterFor(t, c.handler).Health(t.Context()); !errors.Is(err, c.err) {
				t.Errorf("got %v, want %v", err, c.err)
			}
		})
	}
}
