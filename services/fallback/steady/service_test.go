package steady

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/service"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestTheFallbackAnswers(t *testing.T) {
	settings, err := service.Load[Settings](nil)
	if err != nil {
		t.Fatal(err)
	}
	routes := New(settings, service.NewLogger(io.Discard, "demo", "")).routes()
	for _, c := range []struct {
		method, path string
		status       int
		body         string
	}{
		{http.MethodGet, "/animal", 200, "Chat"},
		{http.MethodGet, "/health", 200, "UP"},
		{http.MethodGet, "/livez", 200, "OK"},
		{http.MethodPost, "/animal", 405, `{"type":"about:blank","title":"Method Not Allowed","status":405,"detail":"/animal takes GET, not POST","instance":"/animal"}` + "\n"},
		{http.MethodPut, "/fault", 404, `{"type":"about:blank","title":"Not Found","status":404,"detail":"nothing is served at /fault","instance":"/fault"}` + "\n"},
	} {
		w := httptest.NewRecorder()
		routes.ServeHTTP(w, httptest.NewRequest(c.method, c.path, nil))
		if w.Code != c.status || w.Body.String() != c.body {
			t.Errorf("%s %s: got %d %q, want %d %q", c.method, c.path, w.Code, w.Body, c.status, c.body)
		}
	}
}

func TestRunServesUntilItsContextEnds(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	lines, out := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- Run(ctx, Settings{Animal: "Poisson"}, out) }()
	line := make([]byte, 100)
	n, err := lines.Read(line)
	if got := string(line[:n]); err != nil || !strings.HasPrefix(got, "Serving Poisson on ") {
		t.Errorf("got %q, %v", got, err)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestRunNeedsAFreePort(t *testing.T) {
	taken, err := service.Listen("", 0)
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	s := Settings{Port: taken.Addr().(*net.TCPAddr).Port}
	if err := Run(t.Context(), s, io.Discard); err == nil || !strings.HasPrefix(err.Error(), "PORT=") {
		t.Errorf("got %v", err)
	}
}

func TestEverySettingHasHelp(t *testing.T) {
	for _, s := range service.Settings[Settings]() {
		if s.Help == "" {
			t.Errorf("%s has no help", s.Name)
		}
	}
}
