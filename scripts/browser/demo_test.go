package browser

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"syscall"
	"testing"
	"time"
)

var pageLine = regexp.MustCompile(`^hotswap-1: (http://\S+)`)

// demo is a process of scripts/demo, and where the page of its first instance is.
type demo struct {
	url string
	pid int
}

// startDemo runs scripts/demo with n instances, under settings as "NAME=value". It
// ends with the test.
func startDemo(t *testing.T, n int, settings ...string) demo {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "demo")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", binary, "../demo").CombinedOutput(); err != nil {
		t.Fatalf("build the demo: %v\n%s", err, out)
	}
	ctx, stop := context.WithCancel(context.Background())
	process := exec.CommandContext(ctx, binary, "-instances", fmt.Sprint(n))
	process.Env = append(os.Environ(), settings...)
	process.Cancel = func() error { return process.Process.Signal(syscall.SIGTERM) }
	process.WaitDelay = 10 * time.Second
	output, err := process.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	found := make(chan string, 1)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for lines := bufio.NewScanner(output); lines.Scan(); {
			if m := pageLine.FindStringSubmatch(lines.Text()); m != nil {
				found <- m[1]
			}
		}
	}()
	t.Cleanup(func() {
		stop()
		<-ended
		process.Wait() //nolint:errcheck // it was stopped
	})
	select {
	case url := <-found:
		return demo{url, process.Process.Pid}
	case <-ended:
		t.Fatal("the demo ended without saying where the page is")
	}
	return demo{}
}
