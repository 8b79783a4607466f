package service

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// asService makes the test binary behave as a service, so that signals and exit
// codes are tested on a real process.
const asService = "SERVICE_UNDER_TEST"

type processSettings struct {
	Port int    `env:"PORT" envDefault:"8080" rule:"port" help:"where it serves"`
	Mode string `env:"MODE" envDefault:"serve" rule:"serve|deaf" help:"what it does when told to stop"`
}

func TestMain(m *testing.M) {
	if os.Getenv(asService) != "" {
		Main(runProcess)
	}
	goleak.VerifyTestMain(m)
}

func runProcess(ctx context.Context, s processSettings, stdout io.Writer) error {
	listener, err := Listen("127.0.0.1", s.Port)
	if err != nil {
		return err
	}
	fmt.Fprintln(stdout, listener.Addr())
	if s.Mode == "deaf" {
		<-ctx.Done()
		fmt.Fprintln(stdout, "told to stop")
		select {}
	}
	router := NewRouter(NewLogger(stdout, "demo", ""))
	router.Get("/livez", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "OK\n") })
	return Serve(ctx, NewLogger(stdout, "demo", ""), listener, router)
}

func command(t *testing.T, environ []string, args ...string) *exec.Cmd {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, os.Args[0], args...)
	cmd.Env = append(append(os.Environ(), asService+"=1", "PORT=0"), environ...)
	return cmd
}

func TestASignalEndsTheServiceWithExitCode0(t *testing.T) {
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		cmd := command(t, nil)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		stdout := start(t, cmd)
		_, port, err := net.SplitHostPort(stdout.Text())
		if err != nil {
			t.Fatal(err)
		}
		if out, err := command(t, []string{"PORT=" + port}, "healthcheck").CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("healthcheck: %v, output %q", err, out)
		}
		cmd.Process.Signal(signal)
		if err := cmd.Wait(); err != nil || stderr.Len() > 0 {
			t.Errorf("%v: %v, errors %q", signal, err, &stderr)
		}
	}
}

// start returns once the process has printed its first line.
func start(t *testing.T, cmd *exec.Cmd) *bufio.Scanner {
	t.Helper()
	pipe, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	stdout := bufio.NewScanner(pipe)
	if !stdout.Scan() {
		t.Fatalf("the service printed nothing: %v", cmd.Wait())
	}
	return stdout
}

func TestASecondSignalEndsTheProcessAtOnce(t *testing.T) {
	cmd := command(t, []string{"MODE=deaf"})
	stdout := start(t, cmd)
	cmd.Process.Signal(syscall.SIGTERM)
	if !stdout.Scan() || stdout.Text() != "told to stop" {
		t.Fatalf("got %q", stdout.Text())
	}
	// The handler of the first signal is taken away a moment after the context
	// ends, so one more signal may still be swallowed.
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for {
		cmd.Process.Signal(syscall.SIGTERM)
		select {
		case err := <-ended:
			if cmd.ProcessState.Success() {
				t.Errorf("ended as if by itself: %v", err)
			}
			return
		case <-time.After(10 * time.Millisecond):
		}
	}
}

func TestExitCodes(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	port := strconv.Itoa(taken.Addr().(*net.TCPAddr).Port)
	for _, c := range []struct {
		name    string
		environ []string
		args    []string
		code    int
		line    string
	}{
		{"bad setting", []string{"MODE=idle"}, nil, 2, `MODE="idle": must be serve or deaf`},
		{"port in use", []string{"PORT=" + port}, nil, 1, `PORT="` + port + `": must be a port that is free: `},
		{"unknown subcommand", nil, []string{"start"}, 2, `bad arguments ["start"]: must be run without arguments, `},
		{"unknown flag", nil, []string{"-v"}, 2, `bad arguments ["-v"]: `},
		{"too many arguments", nil, []string{"healthcheck", "/livez", "x"}, 2, `bad arguments ["healthcheck" "/livez" "x"]: `},
		{"healthcheck of nobody", []string{"PORT=1"}, []string{"healthcheck"}, 1, "healthcheck: GET http://127.0.0.1:1/livez: "},
		{"healthcheck on a bad port", []string{"PORT=x"}, []string{"healthcheck"}, 2, `PORT="x": must be a port `},
	} {
		t.Run(c.name, func(t *testing.T) {
			cmd := command(t, c.environ, c.args...)
			var stdout, stderr bytes.Buffer
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			cmd.Run()
			if cmd.ProcessState.ExitCode() != c.code {
				t.Errorf("exit code %d, want %d", cmd.ProcessState.ExitCode(), c.code)
			}
			if got := stderr.String(); !strings.HasPrefix(got, c.line) || strings.Count(got, "\n") != 1 || stdout.Len() > 0 {
				t.Errorf("stderr %q, stdout %q, want one line that begins with %q", got, &stdout, c.line)
			}
		})
	}
}

func TestHelpPrintsTheSettings(t *testing.T) {
	for _, flag := range []string{"help", "-h", "-help", "--help"} {
		out, err := command(t, nil, flag).Output()
		if err != nil || !strings.Contains(string(out), "MODE=serve\n\twhat it does when told to stop (serve or deaf)\n") {
			t.Errorf("%s: %v, printed %q", flag, err, out)
		}
	}
}

func TestHowRunEndsDecidesTheExitCode(t *testing.T) {
	ended, end := context.WithCancel(t.Context())
	end()
	for _, c := range []struct {
		name   string
		ctx    context.Context
		result error
		code   int
		stderr string
	}{
		{"by itself", t.Context(), nil, 0, ""},
		{"told to stop", ended, fmt.Errorf("poll: %w", context.Canceled), 0, ""},
		{"a cancellation of its own", t.Context(), context.Canceled, 1, "context canceled\n"},
		{"an error while stopping", ended, errors.New("flush failed"), 1, "flush failed\n"},
		{"an error of two lines", t.Context(), errors.New("one\ntwo"), 1, `one\ntwo` + "\n"},
		{"a setting found wrong later", t.Context(), &SettingsError{Problems: []string{"A: b"}}, 2, "A: b\n"},
	} {
		var stderr bytes.Buffer
		run := func(context.Context, processSettings, io.Writer) error { return c.result }
		code := execute(c.ctx, nil, nil, io.Discard, &stderr, run)
		if code != c.code || stderr.String() != c.stderr {
			t.Errorf("%s: exit code %d, stderr %q, want %d, %q", c.name, code, &stderr, c.code, c.stderr)
		}
	}
}
