package e2e

import (
	"strings"
	"sync"
	"testing"
	"time"
)

// TestOneTimeoutPerOutage has both instances in flight when the primary hangs:
// the call of the second begins 50 ms after that of the first. The warning of the
// first has those 50 ms to get through the broker and to rescue the second. How
// often it did is printed; a machine that is too busy for it fails no test, a
// rescue that does not work does.
func TestOneTimeoutPerOutage(t *testing.T) {
	const outages, apart = 20, 50 * time.Millisecond
	s := newStack(t, "POLL_INTERVAL=0s", "FAILING_FOR=0s", "TIMEOUT=1s", "HEALTH_INTERVAL=500ms")
	s.run(t, "up", "--build", "--detach")
	s.connected(t)
	instances := []string{s.container(t, "hotswap-1"), s.container(t, "hotswap-2")}
	alone := 0
	for range outages {
		before := timeouts(t, instances)
		s.fault(t, `{"mode":"timeout"}`)
		s.bothAnswer(t, apart, "Chat")
		s.isOn(t, "fallback")
		if timeouts(t, instances)-before == 1 {
			alone++
		}
		s.fault(t, `{"mode":"healthy"}`)
		s.isOn(t, "primary")
		s.connected(t)
	}
	t.Logf("measured: exactly one timeout in %d outages of %d (hoped for all)", alone, outages)
	if alone < outages/2 {
		t.Errorf("more than one timeout in %d outages of %d", outages-alone, outages)
	}
}

// bothAnswer asks the second instance a little after the first, and waits for
// both.
func (s *stack) bothAnswer(t *testing.T, apart time.Duration, want string) {
	t.Helper()
	var asking sync.WaitGroup
	for i, service := range []string{"hotswap-1", "hotswap-2"} {
		start := time.NewTimer(time.Duration(i) * apart)
		asking.Go(func() {
			<-start.C
			if body, err := get(s.url(service, "/animal")); err != nil || string(body) != want {
				t.Errorf("%s answered %q, %v, want %s", service, body, err, want)
			}
		})
	}
	asking.Wait()
}

// timeouts counts the timeouts that the containers have printed.
func timeouts(t *testing.T, containers []string) int {
	t.Helper()
	n := 0
	for _, id := range containers {
		n += strings.Count(docker(t, "logs", id), "EVENT: Primary adapter timeout")
	}
	return n
}
