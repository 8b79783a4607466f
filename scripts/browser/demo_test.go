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

// startDemo runs scripts/demo with n instances, under settings as "NAME=value",
// and returns where the page of the first one is. It ends with the test.
func startDemo(t *testing.T, n int, settings ...string) (url string) {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "demo")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", binary, "../demo").CombinedOutput(); err != nil {
		t.Fatalf("build the demo: %v\n%s", err, out)
	}
	ctx, stop := context.WithCancel(context.Background())
	demo := exec.CommandContext(ctx, binary, "-instances", fmt.Sprint(n))
	demo.Env = append(os.Environ(), settings...)
	demo.Cancel = func() error { return demo.Process.Signal(syscall.SIGTERM) }
	demo.WaitDelay = 10 * time.Second
	output, err := demo.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := demo.Start(); err != nil {
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
		demo.Wait() //nolint:errcheck // it was stopped
	})
	select {
	case url = <-found:
	case <-ended:
		t.Fatal("the demo ended without saying where the page is")
	}
	return url
}
