package service

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/service/problem"
)

// serving is a Serve under way.
type serving struct {
	url   string
	log   *bytes.Buffer // to be read after stop
	stop  context.CancelFunc
	ended chan error
}

func serve(t *testing.T, handler http.Handler) *serving {
	t.Helper()
	listener, err := Listen("127.0.0.1", 0)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	s := &serving{url: "http://" + listener.Addr().String(), log: &bytes.Buffer{}, stop: stop, ended: make(chan error, 1)}
	go func() { s.ended <- Serve(ctx, NewLogger(s.log, "text", ""), listener, handler) }()
	t.Cleanup(stop)
	return s
}

func (s *serving) wait(t *testing.T) error {
	t.Helper()
	select {
	case err := <-s.ended:
		return err
	case <-time.After(20 * time.Second):
		t.Fatal("Serve does not return")
		return nil
	}
}

type answer struct {
	status int
	body   string
	err    error
}

func get(url string) <-chan answer {
	answers := make(chan answer, 1)
	go func() {
		client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
		response, err := client.Get(url)
		if err != nil {
			answers <- answer{err: err}
			return
		}
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		answers <- answer{response.StatusCode, string(body), err}
	}()
	return answers
}

func TestAStopLetsARequestFinish(t *testing.T) {
	arrived, finish := make(chan struct{}), make(chan struct{})
	s := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		close(arrived)
		select {
		case <-finish:
			io.WriteString(w, "Chien")
		case <-r.Context().Done():
		}
	}))
	answers := get(s.url)
	<-arrived
	s.stop()
	close(finish)
	if got := <-answers; got.body != "Chien" || got.err != nil {
		t.Errorf("got %+v", got)
	}
	if err := s.wait(t); err != nil {
		t.Error(err)
	}
}

func TestAStopCutsARequestThatHangs(t *testing.T) {
	arrived := make(chan struct{})
	s := serve(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(arrived)
		<-r.Context().Done()
	}))
	answers := get(s.url)
	<-arrived
	s.stop()
	if err := s.wait(t); err != nil {
		t.Error(err)
	}
	if got := <-answers; got.err == nil && got.body != "" {
		t.Errorf("got %+v", got)
	}
}

func TestAHandlerThatIgnoresItsContextIsReported(t *testing.T) {
	arrived, release := make(chan struct{}), make(chan struct{})
	s := serve(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		close(arrived)
		<-release
	}))
	defer close(release)
	get(s.url)
	<-arrived
	s.stop()
	if err := s.wait(t); err == nil {
		t.Error("no error")
	}
}

func TestTheCallerThatLeavesEndsTheRequestHoweverLongItLasted(t *testing.T) {
	left := make(chan struct{})
	s := serve(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		<-r.Context().Done()
		close(left)
	}))
	ctx, leave := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer leave()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url, nil)
	if err != nil {
		t.Fatal(err)
	}
	if response, err := http.DefaultTransport.RoundTrip(request); err == nil {
		response.Body.Close()
		t.Error("answered")
	}
	<-left
	s.stop()
	if err := s.wait(t); err != nil {
		t.Error(err)
	}
}

func TestServeFailsWithItsListener(t *testing.T) {
	listener, err := Listen("127.0.0.1", 0)
	if err != nil {
		t.Fatal(err)
	}
	listener.Close()
	err = Serve(t.Context(), NewLogger(io.Discard, "demo", ""), listener, http.NotFoundHandler())
	if err == nil || !strings.Contains(err.Error(), listener.Addr().String()) {
		t.Errorf("got %v", err)
	}
}

func TestATakenPortIsNamed(t *testing.T) {
	first, err := Listen("127.0.0.1", 0)
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	port := first.Addr().(*net.TCPAddr).Port
	_, err = Listen("127.0.0.1", port)
	want := `PORT="` + strconv.Itoa(port) + `": must be a port that is free: `
	if err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got %v, want %s…", err, want)
	}
}

func TestARouterAnswersEveryErrorWithAProblem(t *testing.T) {
	var out bytes.Buffer
	router := NewRouter(NewLogger(&out, "demo", ""))
	router.Get("/animal", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "Chat") })
	router.Put("/animal", func(http.ResponseWriter, *http.Request) {})
	router.Get("/panic", func(http.ResponseWriter, *http.Request) { panic("a bug\nof two lines") })
	router.Get("/late", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "half"); panic("a late bug") })
	router.Get("/abort", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	s := serve(t, router)
	for _, c := range []struct {
		method, path string
		status       int // 0: the connection is closed
		detail       string
		allow        string
	}{
		{"GET", "/animal", 200, "", ""},
		{"HEAD", "/animal", 200, "", ""},
		{"GET", "/nowhere", 404, "nothing is served at /nowhere", ""},
		{"DELETE", "/animal", 405, "/animal takes GET, PUT, not DELETE", "GET, PUT"},
		{"BREW", "/animal", 405, "/animal takes GET, PUT, not BREW", "GET, PUT"},
		{"GET", "/panic", 500, "unexpected error", ""},
		{"GET", "/late", 0, "", ""},
		{"GET", "/abort", 0, "", ""},
		{"GET", "/animal", 200, "", ""},
	} {
		checkAnswer(t, s.url, c.method, c.path, c.status, c.detail, c.allow)
	}
	s.stop()
	s.wait(t)
	if want := "PANIC: GET /panic: a bug\\nof two lines\nPANIC: GET /late: a late bug\n"; out.String() != want {
		t.Errorf("logged %q, want %q", &out, want)
	}
}

func checkAnswer(t *testing.T, url, method, path string, status int, detail, allow string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(request)
	if err != nil {
		if status != 0 {
			t.Errorf("%s %s: %v", method, path, err)
		}
		return
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if status == 0 && err != nil {
		return
	}
	if response.StatusCode != status || response.Header.Get("Allow") != allow {
		t.Errorf("%s %s: %s, allow %q", method, path, response.Status, response.Header.Get("Allow"))
	}
	if status < 400 {
		return
	}
	var got problem.Document
	if err := json.Unmarshal(body, &got); err != nil {
		t.Fatalf("%s %s: %q: %v", method, path, body, err)
	}
	want := problem.Document{Type: "about:blank", Title: http.StatusText(status), Status: status, Detail: detail, Instance: path}
	if got != want || response.Header.Get("Content-Type") != problem.ContentType {
		t.Errorf("%s %s: got %+v as %s, want %+v", method, path, got, response.Header.Get("Content-Type"), want)
	}
}
