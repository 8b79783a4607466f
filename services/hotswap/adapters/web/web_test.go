package web_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/hotswap"
	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/membus"
	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/service"
	"github.com/adapter-hotswap/adapter-hotswap-go/services/hotswap/adapters/web"
	"github.com/adapter-hotswap/adapter-hotswap-go/services/hotswap/adapters/web/live"
)

func TestMain(m *testing.M) {
	if address := os.Getenv("AUDIENCE"); address != "" {
		sit(address, os.Getenv("AUDIENCE_SIZE"))
		return
	}
	goleak.VerifyTestMain(m)
}

// control is an instance that does as it is told.
type control struct {
	mu       sync.Mutex
	status   hotswap.Status
	ready    chan struct{}
	released int
	err      error
}

func (c *control) Status() hotswap.Status {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.status
}

// fail makes the instance refuse.
func (c *control) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.err = err
}

func (c *control) releases() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.released
}

func (c *control) Ready() <-chan struct{} { return c.ready }

func (c *control) Switch(target string, pin bool) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if target != "primary" && target != "fallback" {
		return hotswap.ErrUnknownAdapter
	}
	c.status.Active, c.status.Pinned = target, pin
	return c.err
}

func (c *control) Release() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.released++
	c.status.Pinned = false
	return c.err
}

// faults is a primary that takes every order, until it is away.
type faults struct {
	mu     sync.Mutex
	orders []string
	answer string
	status int
	err    error
}

func (f *faults) Fault(context.Context) (json.RawMessage, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return json.RawMessage(`{"mode":"cycle","fault":"none"}`), f.err
}

// set changes what the primary does.
func (f *faults) set(status int, answer string, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.status, f.answer, f.err = status, answer, err
}

func (f *faults) told() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.orders)
}

func (f *faults) SetFault(_ context.Context, order []byte) (int, []byte, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.orders = append(f.orders, string(order))
	return f.status, []byte(f.answer), f.err
}

func (f *faults) Health(context.Context) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err
}

type animals struct{}

func (animals) Animal(context.Context) (string, error) { return "Chien", nil }

// site is one instance's web interface, served as in the real service.
type site struct {
	url     string
	control *control
	faults  *faults
	journal *live.Journal
	view    *live.Live
	stop    func() time.Duration
}

func serve(t testing.TB, chaos bool) *site {
	t.Helper()
	s := &site{control: &control{ready: make(chan struct{}), status: hotswap.Status{Active: "primary", Connected: true}},
		faults: &faults{answer: `{"mode":"cycle"}`, status: http.StatusOK}}
	close(s.control.ready)
	s.journal = live.NewJournal("primary", s.control.Status)
	log := slog.New(slog.DiscardHandler)
	view := live.New(live.Settings{ID: "hotswap:one-8080:1", Name: "one", Chaos: chaos, Status: s.control.Status,
		Journal: s.journal, Gossip: membus.New().Connect(), Primary: s.faults, Fallback: s.faults,
		PrimaryName: "primary", FallbackName: "fallback", Log: log})
	s.view = view
	var breaking web.Faults
	if chaos {
		breaking = s.faults
	}
	routes := web.New("one", animals{}, s.control, view, breaking).Routes(log, http.NotFoundHandler())
	listener, err := service.Listen("127.0.0.1", 0)
	if err != nil {
		t.Fatal(err)
	}
	s.url = "http://" + listener.Addr().String()
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { view.Run(ctx) })
	running.Go(func() {
		if err := service.Serve(ctx, log, listener, routes); err != nil {
			t.Errorf("end of the service: %v", err)
		}
	})
	stop := sync.OnceValue(func() time.Duration {
		begin := time.Now()
		cancel()
		running.Wait()
		return time.Since(begin)
	})
	s.stop = stop
	t.Cleanup(func() { stop() })
	s.await(t)
	return s
}

// await waits until the page can be read, which is when its view runs.
func (s *site) await(t testing.TB) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Second); ; time.Sleep(time.Millisecond) {
		response, err := http.DefaultTransport.RoundTrip(httptest.NewRequest(http.MethodHead, s.url+"/events", nil))
		if err == nil {
			response.Body.Close()
		}
		if err == nil && response.StatusCode == http.StatusOK {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("not serving: %v", err)
		}
	}
}

// do sends a request, with headers as "Name: value".
func (s *site) do(t testing.TB, method, path, body string, headers ...string) (*http.Response, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, s.url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		request.Header.Set(name, value)
	}
	transport := &http.Transport{DisableKeepAlives: true}
	response, err := transport.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, string(answer)
}

// event is one server-sent event.
type event struct{ id, name, data string }

// stream reads events until ctx ends.
func (s *site) stream(ctx context.Context, t testing.TB, last string) (<-chan event, *http.Response) {
	t.Helper()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+"/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Last-Event-ID", last)
	response, err := (&http.Transport{}).RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	events := make(chan event, 1000)
	go func() {
		defer close(events)
		defer response.Body.Close()
		lines := bufio.NewScanner(response.Body)
		lines.Buffer(nil, 64<<20)
		var e event
		for lines.Scan() {
			switch field, value, _ := strings.Cut(lines.Text(), ": "); field {
			case "id":
				e.id = value
			case "event":
				e.name = value
			case "data":
				e.data = value
			case "":
				if e != (event{}) {
					events <- e
				}
				e = event{}
			}
		}
	}()
	return events, response
}

func next(t testing.TB, events <-chan event, what string, match func(event) bool) event {
	t.Helper()
	bound := time.After(20 * time.Second)
	for {
		select {
		case e, open := <-events:
			if !open {
				t.Fatalf("the stream ended before %s", what)
			}
			if match(e) {
				return e
			}
		case <-bound:
			t.Fatalf("no %s within 20 s", what)
		}
	}
}

var errAway = errors.New("connection refused")
