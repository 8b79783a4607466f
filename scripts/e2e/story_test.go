package e2e

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/adapter-hotswap/adapter-hotswap-go/scripts/checklog/contract"
)

// tellsTheStory reads a log as it is written until it has shown so many whole
// cycles of the primary in a row.
func tellsTheStory(t *testing.T, log io.Reader, cycles int) {
	t.Helper()
	_, err := contract.Check(log, contract.Options{
		Cycles:  cycles,
		OnCycle: func(c *contract.Cycle) { t.Log(c) },
	})
	if err != nil {
		t.Errorf("the log breaks the walkthrough: %v", err)
	}
}

// live starts a compose command and returns what it prints, while it runs. The
// returned function ends it as Ctrl-C does, and waits.
func live(t *testing.T, cmd *exec.Cmd) (io.Reader, func()) {
	t.Helper()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = cmd.Stdout
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return out, func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_, _ = io.Copy(io.Discard, out)
		_ = cmd.Wait()
	}
}

// follows checks the log of the running stack from now on.
func (s *stack) follows(t *testing.T, cycles int) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), 2*patience)
	defer stop()
	log, end := live(t, s.command(ctx, "logs", "--follow", "--no-color", "--tail=0"))
	defer end()
	tellsTheStory(t, log, cycles)
}

// ofCompose says whether compose printed the line about itself: no service did.
func ofCompose(line string) bool { return !strings.Contains(line, " | ") }

// isWarning says whether compose warns. A missing plugin of the client is not the
// file's fault.
func isWarning(line string) bool {
	lower := strings.ToLower(line)
	warns := strings.Contains(lower, "warn") || strings.Contains(lower, "will clash") || strings.Contains(lower, "obsolete")
	return warns && !strings.Contains(line, "buildx")
}

// watcher is written what compose prints, and fails the test on a warning of
// compose about itself.
type watcher struct {
	t    *testing.T
	rest []byte   // a line that is not whole yet
	own  []string // what compose printed about itself
}

// watch returns log, watched. If the test fails, it shows what compose printed
// last about itself.
func watch(t *testing.T, log io.Reader) io.Reader {
	w := &watcher{t: t}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("compose printed:\n%s", strings.Join(w.own[max(0, len(w.own)-40):], "\n"))
		}
	})
	return io.TeeReader(log, w)
}

func (w *watcher) Write(p []byte) (int, error) {
	w.rest = append(w.rest, p...)
	for {
		line, rest, whole := bytes.Cut(w.rest, []byte("\n"))
		if !whole {
			return len(p), nil
		}
		w.rest = rest
		if ofCompose(string(line)) {
			w.note(string(line))
		}
	}
}

func (w *watcher) note(line string) {
	w.own = append(w.own, line)
	if isWarning(line) {
		w.t.Errorf("compose warns: %s", line)
	}
}

// TestWalkthrough is what the README promises: one command in a clean clone, no
// further input, and the log tells the article's story at the article's pace.
func TestWalkthrough(t *testing.T) {
	s := newStack(t)
	ctx, stop := context.WithTimeout(t.Context(), 20*time.Minute)
	defer stop()
	out, end := live(t, s.command(ctx, "up", "--build", "--no-color"))
	tellsTheStory(t, watch(t, out), 3)
	if !t.Failed() {
		s.measures(t)
	}
	end()
	for _, service := range ours {
		if code := s.inspect(t, service, "{{.State.ExitCode}}"); code != "0" {
			t.Errorf("%s ended with exit code %s after Ctrl-C, want 0", service, code)
		}
	}
}
