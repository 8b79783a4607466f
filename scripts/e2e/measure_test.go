package e2e

import (
	"strconv"
	"strings"
	"testing"
	"time"
)

const (
	maxImage  = 15_000_000 // bytes
	maxMemory = 25 << 20   // bytes, of a hotswap instance
)

// measures prints what the images weigh, what the instances use, and how soon
// they serve. The sizes are promises.
func (s *stack) measures(t *testing.T) {
	t.Helper()
	for _, service := range ours {
		size := s.imageSize(t, service)
		t.Logf("measured: image of %s %.1f MB (at most 15)", service, float64(size)/1e6)
		if size >= maxImage {
			t.Errorf("the image of %s has %d bytes, want less than %d", service, size, maxImage)
		}
	}
	for _, service := range []string{"hotswap-1", "hotswap-2"} {
		used := s.memory(t, service)
		t.Logf("measured: memory of %s %.1f MiB (at most 25)", service, used/(1<<20))
		if used >= maxMemory {
			t.Errorf("%s uses %.0f bytes, want less than %d", service, used, maxMemory)
		}
		t.Logf("measured: %s serves %v after its start (hoped for 200ms)", service, s.servesAfter(t, service))
	}
}

func (s *stack) imageSize(t *testing.T, service string) int {
	t.Helper()
	size, err := strconv.Atoi(docker(t, "image", "inspect", "--format", "{{.Size}}", s.inspect(t, service, "{{.Image}}")))
	if err != nil {
		t.Fatal(err)
	}
	return size
}

// memory is what the engine accounts to the container, in bytes.
func (s *stack) memory(t *testing.T, service string) float64 {
	t.Helper()
	usage := docker(t, "stats", "--no-stream", "--format", "{{.MemUsage}}", s.container(t, service))
	used, _, _ := strings.Cut(usage, " / ")
	number := strings.TrimRight(used, "KMGTiBk")
	value, err := strconv.ParseFloat(number, 64)
	unit, known := map[string]float64{"B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}[used[len(number):]]
	if err != nil || !known {
		t.Fatalf("memory of %s: can't read %q", service, usage)
	}
	return value * unit
}

// servesAfter is the time from the start of the container to the line in which
// the instance says on which adapter it starts; it serves by then. The engine
// notes the start only when the process runs, so a fast one can be first: then
// it is 0.
func (s *stack) servesAfter(t *testing.T, service string) time.Duration {
	t.Helper()
	started := parseTime(t, s.inspect(t, service, "{{.State.StartedAt}}"))
	log := docker(t, "logs", "--timestamps", s.container(t, service))
	var serves string
	for line := range strings.Lines(log) {
		if stamp, message, _ := strings.Cut(line, " "); strings.HasPrefix(message, "REPLAY: ") {
			serves = stamp // the last is of the process that runs
		}
	}
	if serves == "" {
		t.Errorf("%s never said on which adapter it starts:\n%s", service, log)
		return 0
	}
	return max(0, parseTime(t, serves).Sub(started)).Round(time.Millisecond)
}

func parseTime(t *testing.T, s string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		t.Fatal(err)
	}
	return at
}
