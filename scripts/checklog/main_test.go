package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/adapter-hotswap/adapter-hotswap-go/scripts/checklog/contract"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// What the command prints and exits with.
func TestRun(t *testing.T) {
	sample := contract.Sample()
	broken := strings.Replace(sample, "Response: Chat", "Response: Chien", 1)
	file := filepath.Join(t.TempDir(), "demo.log")
	if err := os.WriteFile(file, []byte(sample), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name   string
		args   []string
		stdin  string
		code   int
		stdout string
		stderr string
	}{
		{"a good log", nil, sample, exitPassed, "ok: whole cycles: 1, instances: 2\n", ""},
		{"each cycle is told", []string{"-cycles", "2"}, sample + sample, exitPassed, "cycle 2: detected by hotswap-1 (timeout)", ""},
		{"a file", []string{file}, "", exitPassed, "ok: ", ""},
		{"a dash is the standard input", []string{"-"}, sample, exitPassed, "ok: ", ""},
		{"a broken log", nil, broken, exitBroken, "", `broken: cycle 1, line 9: "Response: Chien": hotswap-1 answered from the primary`},
		{"too short", []string{"-cycles", "2"}, sample, exitShort, "cycle 1: ", "too short: the log ended too early: 1 whole cycle in a row, want 2"},
		{"an empty log", nil, "", exitShort, "", `no line of service "hotswap" in it`},
		{"the sample", []string{"-print-sample"}, "", exitPassed, sample, ""},
		{"help", []string{"-h"}, "", exitPassed, "", "Usage: checklog"},
		{"an unknown option", []string{"-cycle"}, "", exitUsage, "", "flag provided but not defined: -cycle"},
		{"a negative number of cycles", []string{"-cycles", "-1"}, "", exitUsage, "", "-cycles -1: must be 0 or more"},
		{"no instances", []string{"-instances", "0"}, "", exitUsage, "", "-instances 0: must be 1 or more"},
		{"a negative number of timeouts", []string{"-max-timeouts", "-1"}, "", exitUsage, "", "-max-timeouts -1: must be 0 or more"},
		{"no service", []string{"-service", ""}, "", exitUsage, "", `-service "": must name a service`},
		{"two files", []string{file, file}, "", exitUsage, "", "at most one FILE"},
		{"a file that is not there", []string{file + "x"}, "", exitUsage, "", "no such file"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			code := run(t.Context(), tt.args, strings.NewReader(tt.stdin), &stdout, &stderr)
			if code != tt.code || !strings.Contains(stdout.String(), tt.stdout) || !strings.Contains(stderr.String(), tt.stderr) {
				t.Errorf("exit %d, want %d\nstdout: %s\nstderr: %s", code, tt.code, &stdout, &stderr)
			}
		})
	}
}

// A live log is judged while it runs: the last cycle that is needed ends the
// command, though the pipe stays open.
func TestLiveLogEndsAtTheLastCycle(t *testing.T) {
	in, out := io.Pipe()
	defer out.Close()
	code := make(chan int)
	go func() { code <- run(t.Context(), []string{"-cycles", "2"}, in, io.Discard, io.Discard) }()
	go io.WriteString(out, contract.Sample()+contract.Sample())
	await(t, code, exitPassed)
}

// Ctrl-C ends a live log where it is.
func TestInterruptEndsALiveLog(t *testing.T) {
	in, out := io.Pipe()
	defer out.Close()
	ctx, interrupt := context.WithCancel(t.Context())
	code := make(chan int)
	go func() { code <- run(ctx, []string{"-cycles", "2"}, in, io.Discard, io.Discard) }()
	io.WriteString(out, contract.Sample())
	interrupt()
	await(t, code, exitShort)
}

// The compose that is found is asked to follow the service, and does not outlive
// the check.
func TestComposeIsFollowedAndEnded(t *testing.T) {
	dir := t.TempDir()
	script(t, dir, "docker", "exit 1")
	script(t, dir, "docker-compose", `echo "$@" >"`+dir+`/args"; cat "`+dir+`/log"; echo end >&2; exec sleep 60`)
	if err := os.WriteFile(filepath.Join(dir, "log"), []byte(contract.Sample()), 0o600); err != nil {
		t.Fatal(err)
	}
	code := make(chan int)
	go func() {
		code <- run(t.Context(), []string{"-compose", "-cycles", "1", "--", "-p", "demo"}, nil, io.Discard, io.Discard)
	}()
	await(t, code, exitPassed)
	args, err := os.ReadFile(filepath.Join(dir, "args"))
	if want := "-p demo logs --follow --no-color --tail=0\n"; err != nil || string(args) != want {
		t.Errorf("compose was called with %q, %v, want %q", args, err, want)
	}
}

func TestComposeIsMissing(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	var stderr bytes.Buffer
	if code := run(t.Context(), []string{"-compose"}, nil, io.Discard, &stderr); code != exitUsage || !strings.Contains(stderr.String(), "-compose needs") {
		t.Errorf("exit %d: %s", code, &stderr)
	}
}

// script puts a shell script on the PATH, before all else.
func script(t *testing.T, dir, name, body string) {
	t.Helper()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("sh is missing")
	}
	if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+body+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
}

func await(t *testing.T, code <-chan int, want int) {
	t.Helper()
	select {
	case got := <-code:
		if got != want {
			t.Errorf("exit %d, want %d", got, want)
		}
	case <-time.After(30 * time.Second):
		t.Fatal("still running")
	}
}
