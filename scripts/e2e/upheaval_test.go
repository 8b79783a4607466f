package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// The cycles of these tests are short, so that they take minutes and not an hour.
var short = []string{"HEALTHY_FOR=6s", "FAILING_FOR=6s", "TIMEOUT=1s", "HEALTH_INTERVAL=1s"}

// TestUpheaval does to the running system what happens on stage: restarts of
// everything, of the broker and of an instance, and a second start. It recovers
// unaided each time.
func TestUpheaval(t *testing.T) {
	s := newStack(t, short...)
	s.run(t, "up", "--build", "--detach")
	s.follows(t, 1)

	step := func(name string, f func(t *testing.T)) {
		if !t.Failed() { // each step begins where the one before it ended
			t.Run(name, f)
		}
	}
	step("everything restarts at once", func(t *testing.T) {
		s.run(t, "restart", "--timeout", "3")
		s.follows(t, 1)
	})
	step("the broker alone restarts during an outage", func(t *testing.T) {
		s.breakPrimary(t)
		s.run(t, "restart", "--timeout", "3", "rabbitmq")
		s.isOn(t, "fallback")
		s.repairPrimary(t)
		s.connected(t)
		s.follows(t, 1)
	})
	step("an instance restarts during an outage", func(t *testing.T) {
		s.breakPrimary(t)
		s.connected(t)
		restart := time.Now()
		s.run(t, "restart", "--timeout", "3", "hotswap-2")
		answers := s.answersSince(t, "hotswap-2", restart)
		t.Logf("measured: hotswap-2 serves %v after its restart (hoped for 200ms)", s.servesAfter(t, "hotswap-2"))
		for _, a := range answers {
			if a != "Response: Chat" {
				t.Errorf("after the restart hotswap-2 answered %q, want Chat and nothing else", answers)
				break
			}
		}
		s.repairPrimary(t)
		s.follows(t, 1)
	})
	step("a second up --build", func(t *testing.T) {
		s.run(t, "stop", "--timeout", "3")
		s.run(t, "up", "--build", "--detach")
		s.follows(t, 1)
	})
	step("nothing restarted by itself", func(t *testing.T) {
		for _, service := range append(ours, "rabbitmq") {
			if n := s.inspect(t, service, "{{.RestartCount}}"); n != "0" {
				t.Errorf("%s was restarted %s times, want 0", service, n)
			}
		}
	})
	step("SIGTERM ends each service by itself", func(t *testing.T) {
		for _, service := range ours {
			id := s.container(t, service)
			docker(t, "stop", "--time", "20", id)
			if code := docker(t, "inspect", "--format", "{{.State.ExitCode}}", id); code != "0" {
				t.Errorf("%s ended with exit code %s, want 0", service, code)
			}
		}
	})
	step("down", func(t *testing.T) {
		s.run(t, "up", "--detach")
		s.connected(t)
		begun := time.Now()
		s.run(t, "down")
		t.Logf("measured: down took %v (hoped for 5s)", time.Since(begun).Round(100*time.Millisecond))
	})
}

// breakPrimary makes the primary hang until repairPrimary, and waits until both
// instances know.
func (s *stack) breakPrimary(t *testing.T) {
	t.Helper()
	s.fault(t, `{"mode":"timeout"}`)
	s.isOn(t, "fallback")
}

func (s *stack) repairPrimary(t *testing.T) {
	t.Helper()
	s.fault(t, `{"mode":"healthy"}`)
	s.isOn(t, "primary")
	s.fault(t, `{"mode":"cycle"}`)
}

// fault is a PUT /fault. A primary that has just been restarted may not listen yet.
func (s *stack) fault(t *testing.T, order string) {
	t.Helper()
	await(t, "PUT /fault "+order, func() bool {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPut, s.url("primary", "/fault"), strings.NewReader(order))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Content-Type", "application/json")
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			return false
		}
		defer response.Body.Close()
		body, _ := io.ReadAll(response.Body)
		if response.StatusCode != http.StatusOK {
			t.Fatalf("PUT /fault %s: %s: %s", order, response.Status, body)
		}
		return true
	})
}

// state is what the tests read of GET /adapter.
type state struct {
	Active    string
	Connected bool
	Pending   bool
}

// isOn waits until both instances are on the adapter.
func (s *stack) isOn(t *testing.T, adapter string) {
	t.Helper()
	s.both(t, "is on the "+adapter, func(a state) bool { return a.Active == adapter })
}

// connected waits until both instances have read the log and are told of what
// comes.
func (s *stack) connected(t *testing.T) {
	t.Helper()
	s.both(t, "is connected to the bus", func(a state) bool { return a.Connected && !a.Pending })
}

func (s *stack) both(t *testing.T, what string, ok func(state) bool) {
	t.Helper()
	for _, service := range []string{"hotswap-1", "hotswap-2"} {
		await(t, service+" "+what, func() bool {
			var a state
			body, err := get(s.url(service, "/adapter"))
			return err == nil && json.Unmarshal(body, &a) == nil && ok(a)
		})
	}
}

// answersSince waits for the first three answers that the service logged since
// then.
func (s *stack) answersSince(t *testing.T, service string, since time.Time) []string {
	t.Helper()
	var answers []string
	await(t, service+" answers again", func() bool {
		answers = nil
		log := docker(t, "logs", "--since", since.Format(time.RFC3339Nano), s.container(t, service))
		for line := range strings.Lines(log) {
			if strings.HasPrefix(line, "REPLAY: ") {
				answers = nil // what came before was of the process that ended
			}
			if strings.HasPrefix(line, "Response: ") {
				answers = append(answers, strings.TrimSpace(line))
			}
		}
		return strings.Contains(log, "REPLAY: ") && len(answers) >= 3
	})
	return answers
}

func (s *stack) url(service, path string) string {
	return fmt.Sprintf("http://127.0.0.1:%d%s", s.ports[service], path)
}

func get(url string) ([]byte, error) {
	client := http.Client{Timeout: 5 * time.Second}
	response, err := client.Get(url)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	var body bytes.Buffer
	_, err = body.ReadFrom(response.Body)
	return body.Bytes(), err
}
