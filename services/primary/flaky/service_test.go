package flaky

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/service"
)

// running is a service on a real port.
type running struct {
	url   string
	stop  context.CancelFunc
	ended chan error
}

func serve(t *testing.T) *running {
	t.Helper()
	listener, err := service.Listen("127.0.0.1", 0)
	if err != nil {
		t.Fatal(err)
	}
	_, log := newDiary()
	ctx, stop := context.WithCancel(t.Context())
	r := &running{"http://" + listener.Addr().String(), stop, make(chan error, 1)}
	go func() { r.ended <- New(settings(t, nil), log).Serve(ctx, listener) }()
	t.Cleanup(stop)
	return r
}

func (r *running) wait(t *testing.T) {
	t.Helper()
	select {
	case err := <-r.ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("does not stop")
	}
}

func (r *running) do(t *testing.T, method, path, body string) (answer, error) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, r.url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(request)
	if err != nil {
		return answer{}, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return answer{response.StatusCode, string(text)}, err
}

func TestAResetReachesTheCallersNetworkStack(t *testing.T) {
	r := serve(t)
	if got, err := r.do(t, http.MethodPut, "/fault", `{"mode":"reset"}`); got.status != 200 || err != nil {
		t.Fatalf("%+v, %v", got, err)
	}
	if got, err := r.do(t, http.MethodGet, "/animal", ""); !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("got %+v, %v", got, err)
	}
	if got, err := r.do(t, http.MethodGet, "/livez", ""); got.status != 200 || err != nil {
		t.Errorf("/livez: %+v, %v", got, err)
	}
	r.stop()
	r.wait(t)
}

func TestAStopEndsAHang(t *testing.T) {
	r := serve(t)
	if got, err := r.do(t, http.MethodPut, "/fault", `{"mode":"timeout"}`); got.status != 200 || err != nil {
		t.Fatalf("%+v, %v", got, err)
	}
	connection, err := net.Dial("tcp", strings.TrimPrefix(r.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	io.WriteString(connection, "GET /animal HTTP/1.1\r\nHost: primary\r\n\r\n")
	// Its answer shows that the hanging request was taken before.
	if got, err := r.do(t, http.MethodGet, "/health", ""); got != (answer{503, "DOWN"}) || err != nil {
		t.Errorf("got %+v, %v", got, err)
	}
	r.stop()
	r.wait(t)
	if text, _ := io.ReadAll(connection); len(text) > 0 {
		t.Errorf("the caller read %q", text)
	}
}

func TestRunNeedsAFreePort(t *testing.T) {
	taken, err := service.Listen("", 0)
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	s := settings(t, nil)
	s.Port = taken.Addr().(*net.TCPAddr).Port
	if err := Run(t.Context(), s, io.Discard); err == nil || !strings.HasPrefix(err.Error(), "PORT=") {
		t.Errorf("got %v", err)
	}
}

func TestRunServesUntilItsContextEnds(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	s := settings(t, map[string]string{"PORT": "0"})
	log := &writes{first: make(chan string, 1)}
	ended := make(chan error, 1)
	go func() { ended <- Run(ctx, s, log) }()
	if line := <-log.first; !strings.HasPrefix(line, "Serving Chien on ") {
		t.Errorf("got %q", line)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// writes passes on the first line.
type writes struct{ first chan string }

func (w *writes) Write(line []byte) (int, error) {
	select {
	case w.first <- string(line):
	default:
	}
	return len(line), nil
}

func TestSettings(t *testing.T) {
	for variable, value := range map[string]string{
		"HEALTHY_FOR": "0s", "FAILING_FOR": "-1s", "FAULT": "cycle", "PORT": "http", "LOG_FORMAT": "xml",
	} {
		_, err := service.Load[Settings](map[string]string{variable: value})
		if want := variable + `="` + value + `": must be `; err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want %s…", err, want)
		}
	}
	for _, s := range service.Settings[Settings]() {
		if s.Help == "" {
			t.Errorf("%s has no help", s.Name)
		}
	}
}
