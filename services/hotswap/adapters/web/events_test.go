package web_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/hotswap"
)

func TestEvents(t *testing.T) {
	s := serve(t, true)
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	events, response := s.stream(ctx, t, "")
	if ct := response.Header.Get("Content-Type"); ct != "text/event-stream" {
		t.Errorf("Content-Type %q", ct)
	}
	first := next(t, events, "everything", func(event) bool { return true })
	if !strings.Contains(first.data, `"full":true`) || !strings.Contains(first.data, `"chaos":true`) || first.id == "" {
		t.Errorf("first event %+v", first)
	}
	s.journal.Observe(hotswap.Answered{Adapter: "primary"})
	mark := next(t, events, "the answer", func(e event) bool { return strings.Contains(e.data, `"marks":"p"`) })
	next(t, events, "a heartbeat", func(e event) bool { return e.name == "beat" })
	leave()

	again, stop := context.WithCancel(t.Context())
	defer stop()
	s.journal.Observe(hotswap.Answered{Adapter: "fallback"})
	resumed, _ := s.stream(again, t, mark.id)
	e := next(t, resumed, "what was missed", func(e event) bool { return strings.Contains(e.data, `"marks":"pf"`) })
	if strings.Contains(e.data, `"full"`) {
		t.Errorf("a reader that was away for a moment is told everything: %s", e.data)
	}
}

// A service stops at once although pages are open, and their readers are let go.
func TestStopWithPagesOpen(t *testing.T) {
	s := serve(t, true)
	var ended sync.WaitGroup
	for range 20 {
		events, _ := s.stream(t.Context(), t, "")
		next(t, events, "everything", func(event) bool { return true })
		ended.Go(func() {
			for range events { // until the service ends it
			}
		})
	}
	took := s.stop()
	ended.Wait()
	t.Logf("stopped with 20 pages open in %v", took)
}

// A reader that takes nothing is dropped once the buffers of its connection are
// full, and holds up nobody meanwhile.
func TestReaderThatStopsReading(t *testing.T) {
	s := serve(t, true)
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	conn.(*net.TCPConn).SetReadBuffer(4096) //nolint:errcheck // a larger one only makes the test longer
	if _, err := io.WriteString(conn, "GET /events HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	s.fill(t)
	t.Logf("dropped after %v", time.Since(begin))
}

// fill keeps every reader busy until the one that does not read is gone.
func (s *site) fill(t *testing.T) {
	t.Helper()
	ctx, leave := context.WithTimeout(t.Context(), 50*time.Second)
	defer leave()
	reading, _ := s.stream(ctx, t, "")
	next(t, reading, "everything", func(event) bool { return true })
	for ctx.Err() == nil {
		if !s.othersAreServed(t) {
			t.Fatal("GET /animal is held up")
		}
		for range 10 {
			s.journal.Observe(hotswap.Decided{Event: hotswap.AdapterSwitchEvent{ID: strings.Repeat("x", 60_000) + time.Now().String(), Target: "fallback"}})
		}
		next(t, reading, "news", func(event) bool { return true })
		if s.view.Readers() <= 1 {
			return
		}
	}
	t.Fatal("not dropped within 50 s")
}

func (s *site) othersAreServed(t *testing.T) bool {
	_, body := s.do(t, http.MethodGet, "/animal", "")
	return body == "Chien"
}

// What 200 readers cost the requests of others. The report is for people: it
// depends on the machine, and on what else it does.
func TestTwoHundredReaders(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	s := serve(t, true)
	var alone, watched []time.Duration
	for range 3 {
		alone = append(alone, s.p99(t))
		leave := s.audience(t, 200)
		watched = append(watched, s.p99(t))
		leave()
	}
	t.Logf("GET /animal, p99 in three rounds: %v with nobody watching, %v with 200 readers; least: %+.0f %%",
		alone, watched, 100*(float64(slices.Min(watched))/float64(slices.Min(alone))-1))
}

// audience is a process of its own with n readers, as browsers are.
func (s *site) audience(t *testing.T, n int) (leave func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	readers := exec.CommandContext(ctx, os.Args[0])
	readers.Env = append(os.Environ(), "AUDIENCE="+strings.TrimPrefix(s.url, "http://"), fmt.Sprint("AUDIENCE_SIZE=", n))
	if err := readers.Start(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(20 * time.Second); s.view.Readers() < n; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d readers of %d came", s.view.Readers(), n)
		}
	}
	return func() {
		cancel()
		readers.Wait() //nolint:errcheck // it was killed
	}
}

// sit is what the process of an audience does.
func sit(address, size string) {
	n, _ := strconv.Atoi(size)
	var reading sync.WaitGroup
	for range n {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			return
		}
		_, _ = io.WriteString(conn, "GET /events HTTP/1.1\r\nHost: x\r\n\r\n")
		reading.Go(func() { _, _ = io.Copy(io.Discard, conn) })
	}
	reading.Wait()
}

// p99 asks 1,000 times, 500 times a second, with news for the readers all along.
func (s *site) p99(t *testing.T) time.Duration {
	t.Helper()
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	tick := time.NewTicker(time.Second / 500)
	defer tick.Stop()
	var took []time.Duration
	for range 1000 {
		<-tick.C
		s.journal.Observe(hotswap.Answered{Adapter: "primary"})
		begin := time.Now()
		response, err := transport.RoundTrip(mustGet(t, s.url+"/animal"))
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, response.Body)
		response.Body.Close()
		took = append(took, time.Since(begin))
	}
	slices.Sort(took)
	return took[len(took)*99/100]
}

func mustGet(t *testing.T, url string) *http.Request {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	return request
}
