package main

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/adapter-hotswap/adapter-hotswap-go/scripts/checklog/contract"
)

// short is a cycle of a few seconds.
var short = map[string]string{"HEALTHY_FOR": "2s", "FAILING_FOR": "2500ms", "TIMEOUT": "500ms",
	"HEALTH_INTERVAL": "500ms", "POLL_INTERVAL": "200ms"}

// run runs the demo until its log has passed three cycles or broken a rule, and
// then interrupts it.
func run(t *testing.T, args ...string) (exit int, stderr string, checked error) {
	t.Helper()
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	ctx, interrupt := context.WithTimeout(t.Context(), 2*time.Minute)
	defer interrupt()
	var complaints bytes.Buffer
	ended := make(chan int, 1)
	go func() {
		ended <- execute(ctx, args, short, writer, &complaints)
		_ = writer.Close()
	}()
	log := &firstLine{of: reader, begun: time.Now()}
	_, checked = contract.Check(log, contract.Options{Cycles: 3})
	t.Logf("first answer after %s", log.after)
	interrupted := time.Now()
	interrupt()
	log.drain()
	exit = <-ended
	t.Logf("ended %s after the interrupt", time.Since(interrupted).Round(time.Millisecond))
	return exit, complaints.String(), checked
}

// firstLine notes when the first answer passes.
type firstLine struct {
	of    *os.File
	begun time.Time
	after time.Duration
}

func (f *firstLine) Read(p []byte) (int, error) {
	n, err := f.of.Read(p)
	if f.after == 0 && bytes.Contains(p[:n], []byte("Response: Chien")) {
		f.after = time.Since(f.begun).Round(time.Millisecond)
	}
	return n, err
}

func (f *firstLine) drain() {
	for buffer := make([]byte, 4096); ; {
		if _, err := f.of.Read(buffer); err != nil {
			return
		}
	}
}

func TestTheDemoTellsTheStoryAndEndsClean(t *testing.T) {
	t.Parallel()
	for _, instances := range []string{"2", "5"} {
		t.Run(instances+" instances", func(t *testing.T) {
			t.Parallel()
			exit, stderr, checked := run(t, "-instances", instances)
			if checked != nil || exit != 0 || stderr != "" {
				t.Errorf("log: %v; exit %d; complaints: %q", checked, exit, stderr)
			}
		})
	}
}

func TestBadUseIsOneLine(t *testing.T) {
	for _, c := range []struct {
		args    []string
		environ map[string]string
		want    string
	}{
		{[]string{"-instances", "0"}, map[string]string{}, "-instances 0: must be from 1 to 100"},
		{[]string{"now"}, map[string]string{}, `unknown argument "now": the demo takes flags only, see -help`},
		{nil, map[string]string{"HEALTHY_FOR": "soon"}, `HEALTHY_FOR="soon": must be a duration above 0, such as 15s`},
		{nil, map[string]string{"TIMEOUT": "-1s"}, `TIMEOUT="-1s": must be a duration above 0, such as 15s`},
		{[]string{"-amqp", "http://x:secret@y"}, map[string]string{}, "must be amqp or amqps URLs"},
	} {
		var stderr bytes.Buffer
		exit := execute(t.Context(), c.args, c.environ, os.Stdout, &stderr)
		got := stderr.String()
		if exit != 2 || strings.Count(got, "\n") != 1 || !strings.Contains(got, c.want) || strings.Contains(got, "secret") {
			t.Errorf("%q %v: exit %d, %q; want 2 and %q", c.args, c.environ, exit, got, c.want)
		}
	}
}
