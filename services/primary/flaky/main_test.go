package flaky

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/service"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// settings returns the standard ones, changed by environ.
func settings(t *testing.T, environ map[string]string) Settings {
	t.Helper()
	s, err := service.Load[Settings](environ)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// diary is a log with the time at which each line was written.
type diary struct {
	mu    sync.Mutex
	began time.Time
	lines []string
}

func newDiary() (*diary, *slog.Logger) {
	d := &diary{began: time.Now()}
	return d, service.NewLogger(d, "demo", "")
}

func (d *diary) Write(line []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lines = append(d.lines, fmt.Sprintf("%v %s", time.Since(d.began), bytes.TrimSpace(line)))
	return len(line), nil
}

func (d *diary) String() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return strings.Join(d.lines, "\n")
}

// answer is what a caller got. A zero status means a closed connection.
type answer struct {
	status int
	body   string
}

// ask calls a handler without a network. Its connections can't be reset.
func ask(handler http.Handler, r *http.Request) (got answer) {
	w := httptest.NewRecorder()
	defer func() {
		if cause := recover(); cause == http.ErrAbortHandler {
			got = answer{}
		} else if cause != nil {
			panic(cause)
		}
	}()
	handler.ServeHTTP(w, r)
	return answer{w.Code, w.Body.String()}
}

func get(handler http.Handler, path string) answer {
	return ask(handler, httptest.NewRequest(http.MethodGet, path, nil))
}

func put(handler http.Handler, body string) answer {
	r := httptest.NewRequest(http.MethodPut, "/fault", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	return ask(handler, r)
}
