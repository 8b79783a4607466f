package e2e

import (
	"bufio"
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

// isWarning says whether a line that compose printed about itself is a warning.
// A missing plugin of the client is not the file's fault.
func isWarning(line string) bool {
	if strings.Contains(line, " | ") || strings.Contains(line, "buildx") {
		return false
	}
	lower := strings.ToLower(line)
	return strings.Contains(lower, "warn") || strings.Contains(line, "will clash") || strings.Contains(line, "obsolete")
}

// watch passes log on, line by line, and fails the test on a warning of compose.
func watch(t *testing.T, log io.Reader) io.Reader {
	out, in := io.Pipe()
	go func() {
		lines := bufio.NewScanner(log)
		for lines.Scan() {
			if isWarning(lines.Text()) {
				t.Errorf("compose warns: %s", lines.Text())
			}
			if _, err := io.WriteString(in, lines.Text()+"\n"); err != nil {
				return
			}
		}
		in.CloseWithError(lines.Err())
	}()
	return out
}

// TestWalkthrough is what the README promises: one command in a clean clone, no
// further input, and the log tells the article's story at the article's pace.
func TestWalkthrough(t *testing.T) {
	s := newStack(t)
	ctx, stop := context.WithTimeout(t.Context(), 20*time.Minute)
	defer stop()
	out, end := live(t, s.command(ctx, "up", "--build", "--no-color"))
	tellsTheStory(t, watch(t, out), 3)
	s.measures(t)
	end()
	for _, service := range ours {
		if code := s.inspect(t, service, "{{.State.ExitCode}}"); code != "0" {
			t.Errorf("%s ended with exit code %s after Ctrl-C, want 0", service, code)
		}
	}
}
