package composition_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/membus"
	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/service"
	"github.com/adapter-hotswap/adapter-hotswap-go/services/hotswap/composition"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// upstreams are a primary that hangs while it is down, and a fallback.
type upstreams struct {
	down              atomic.Bool
	primary, fallback *httptest.Server
}

func newUpstreams(t *testing.T) *upstreams {
	u := &upstreams{}
	u.primary = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case u.down.Load() && r.URL.Path == "/animal":
			<-r.Context().Done()
		case u.down.Load():
			w.WriteHeader(http.StatusServiceUnavailable)
		case r.URL.Path == "/animal":
			_, _ = io.WriteString(w, "Chien")
		default:
			_, _ = io.WriteString(w, "UP")
		}
	}))
	u.fallback = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "Chat") }))
	t.Cleanup(func() { u.primary.Close(); u.fallback.Close() })
	return u
}

// instance is one running composition.
type instance struct {
	t    *testing.T
	url  string
	log  *lockedBuffer
	stop func()
}

func start(t *testing.T, u *upstreams, bus *membus.Log, environ map[string]string) *instance {
	t.Helper()
	all := map[string]string{"PORT": "0", "INSTANCE": "test", "PRIMARY_URL": u.primary.URL, "FALLBACK_URL": u.fallback.URL,
		"TIMEOUT": "100ms", "HEALTH_INTERVAL": "50ms", "POLL_INTERVAL": "0s"}
	for name, value := range environ {
		all[name] = value
	}
	settings, err := service.Load[composition.Settings](all)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	i := &instance{t: t, url: "http://" + listener.Addr().String(), log: &lockedBuffer{}}
	connect := func(composition.Settings, string, *slog.Logger) (composition.Bus, error) { return bus.Connect(), nil }
	composed, err := composition.New(settings, service.NewLogger(i.log, "demo", ""), listener, connect)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- composed.Run(ctx) }()
	i.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("end of an instance: %v", err)
		}
	})
	t.Cleanup(i.stop)
	i.await("readyz", func(status int, _ string) bool { return status == http.StatusOK })
	return i
}

type lockedBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

func (i *instance) do(method, path, body string) (status int, answer string) {
	i.t.Helper()
	request, err := http.NewRequest(method, i.url+"/"+path, strings.NewReader(body))
	if err != nil {
		i.t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		i.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		i.t.Fatal(err)
	}
	return response.StatusCode, string(text)
}

// await asks path until the answer is right, for five seconds.
func (i *instance) await(path string, right func(status int, body string) bool) {
	i.t.Helper()
	deadline := time.Now().Add(5 * time.Second)
	for {
		status, body := i.do(http.MethodGet, path, "")
		if right(status, body) {
			return
		}
		if time.Now().After(deadline) {
			i.t.Fatalf("GET /%s stays %d %s", path, status, body)
		}
	}
}

func (i *instance) wantAnimal(want string) {
	i.t.Helper()
	if status, body := i.do(http.MethodGet, "animal", ""); status != http.StatusOK || body != want {
		i.t.Errorf("GET /animal: %d %q, want %q", status, body, want)
	}
}

func is(want string) func(int, string) bool {
	return func(_ int, body string) bool { return body == want }
}

func TestOneInstanceWarnsTheOther(t *testing.T) {
	u, bus := newUpstreams(t), membus.New()
	first, second := start(t, u, bus, nil), start(t, u, bus, nil)
	first.wantAnimal("Chien")
	second.wantAnimal("Chien")

	u.down.Store(true)
	first.wantAnimal("Chat")
	second.await("animal", is("Chat"))
	u.down.Store(false)
	first.await("animal", is("Chien"))
	second.await("animal", is("Chien"))

	first.stop()
	second.stop()
	detected := strings.Count(first.log.String()+second.log.String(), "EVENT: Primary adapter timeout")
	if detected != 1 || !strings.Contains(first.log.String(), "EVENT: Primary adapter timeout") {
		t.Errorf("%d timeouts\nfirst:\n%s\nsecond:\n%s", detected, first.log, second.log)
	}
}

func TestARestartedInstanceStartsOnTheClustersAdapter(t *testing.T) {
	u, bus := newUpstreams(t), membus.New()
	first := start(t, u, bus, nil)
	u.down.Store(true)
	first.wantAnimal("Chat")
	second := start(t, u, bus, nil)
	second.wantAnimal("Chat")
	second.stop()
	if got := second.log.String(); !strings.HasPrefix(got, "REPLAY: Cluster is on 'fallback'\nResponse: Chat\n") {
		t.Errorf("second:\n%s", got)
	}
}

func TestEveryAdapterFailedIsAProblem(t *testing.T) {
	u := newUpstreams(t)
	i := start(t, u, membus.New(), nil)
	u.down.Store(true)
	u.fallback.Close()
	status, body := i.do(http.MethodGet, "animal", "")
	if status != http.StatusServiceUnavailable || !strings.Contains(body, "primary: timeout") || !strings.Contains(body, "fallback: connection refused") {
		t.Errorf("got %d %s", status, body)
	}
}

func TestAnOperatorSwitchesPinsAndReleases(t *testing.T) {
	u, bus := newUpstreams(t), membus.New()
	first, second := start(t, u, bus, nil), start(t, u, bus, nil)
	if status, body := first.do(http.MethodPut, "adapter", `{"target":"fallback","pinned":true}`); status != http.StatusOK {
		t.Fatalf("%d %s", status, body)
	}
	second.await("adapter", func(_ int, body string) bool {
		var d struct {
			Active string
			Pinned bool
		}
		return json.Unmarshal([]byte(body), &d) == nil && d.Active == "fallback" && d.Pinned
	})
	second.wantAnimal("Chat")
	if status, body := second.do(http.MethodPut, "adapter", `{"pinned":false}`); status != http.StatusOK {
		t.Fatalf("%d %s", status, body)
	}
	first.await("animal", is("Chien"))
}

func TestBadOrdersAreProblems(t *testing.T) {
	i := start(t, newUpstreams(t), membus.New(), nil)
	for _, c := range []struct {
		method, path, body string
		status             int
		says               string
	}{
		{"PUT", "adapter", `{"target":"cat"}`, 422, `\"cat\", want one of [\"primary\" \"fallback\"]`},
		{"PUT", "adapter", `{}`, 422, `must have \"target\"`},
		{"PUT", "adapter", `{"targte":"fallback"}`, 422, `unknown field \"targte\"`},
		{"PUT", "adapter", `{"target":1}`, 422, `field \"target\" must be a string`},
		{"PUT", "adapter", `fallback`, 400, "no JSON"},
		{"POST", "adapter", `{}`, 405, "POST"},
		{"GET", "nothing", "", 404, "/nothing"},
	} {
		status, body := i.do(c.method, c.path, c.body)
		if status != c.status || !strings.Contains(body, c.says) {
			t.Errorf("%s /%s %s: got %d %s, want %d … %s", c.method, c.path, c.body, status, body, c.status, c.says)
		}
	}
	i.wantAnimal("Chien")
}

func TestMetricsAndReadiness(t *testing.T) {
	u := newUpstreams(t)
	i := start(t, u, membus.New(), nil)
	u.down.Store(true)
	i.wantAnimal("Chat")
	i.await("metrics", func(_ int, body string) bool {
		for _, line := range []string{
			`hotswap_calls_total{adapter="primary",result="timeout"} 1`,
			`hotswap_switches_total{cause="failure",to="fallback"} 1`,
			`hotswap_active{adapter="fallback"} 1`, `hotswap_bus_connected 1`, `hotswap_log_position 1`,
		} {
			if !strings.Contains(body, line) {
				return false
			}
		}
		return true
	})
	i.await("readyz", is("ready on fallback; bus connected, log position 1"))
}

// An instance without a bus goes on alone after a bounded wait, and says so.
func TestWithoutABus(t *testing.T) {
	u := newUpstreams(t)
	broken := membus.New().Connect()
	broken.Cut()
	settings, err := service.Load[composition.Settings](map[string]string{"INSTANCE": "test", "PRIMARY_URL": u.primary.URL,
		"FALLBACK_URL": u.fallback.URL, "REPLAY_WAIT": "100ms", "POLL_INTERVAL": "0s"})
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	log := &lockedBuffer{}
	composed, err := composition.New(settings, service.NewLogger(log, "demo", ""), listener,
		func(composition.Settings, string, *slog.Logger) (composition.Bus, error) { return broken, nil })
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- composed.Run(ctx) }()
	i := &instance{t: t, url: "http://" + listener.Addr().String(), log: log}
	i.await("readyz", is("ready on primary; the bus is away, deciding alone"))
	i.wantAnimal("Chien")
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if !strings.Contains(log.String(), "BUS: Not reached, starting alone on 'primary'\n") {
		t.Errorf("log:\n%s", log)
	}
}

func TestSettingsThatCannotWork(t *testing.T) {
	for _, c := range []struct {
		environ map[string]string
		want    string
	}{
		{map[string]string{"TIMEOUT": "abc"}, `TIMEOUT="abc": must be a duration above 0, such as 15s`},
		{map[string]string{"POLL_INTERVAL": "-1s"}, `POLL_INTERVAL="-1s": must be a duration of 0 or more, such as 500ms`},
		{map[string]string{"PRIMARY_URL": "primary"}, `PRIMARY_URL="primary": must be an http or https URL, such as http://primary:8080`},
		{map[string]string{"LOG_FORMAT": "xml"}, `LOG_FORMAT="xml": must be demo, text or json`},
		{map[string]string{"CHAOS": "yes"}, `CHAOS="yes": must be on or off`},
	} {
		if _, err := service.Load[composition.Settings](c.environ); err == nil || err.Error() != c.want {
			t.Errorf("%v: got %v, want %s", c.environ, err, c.want)
		}
	}
	if _, err := service.Load[composition.Settings](nil); err != nil {
		t.Errorf("the defaults: %v", err)
	}
	if _, err := service.Load[composition.Settings](map[string]string{"AMQP_URL": "http://u:secret@h/"}); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("bad AMQP_URL: %v", err)
	}
}
