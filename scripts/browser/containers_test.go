package browser

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// stack is docker-compose.yml of a clean clone, as a project of its own.
type stack struct {
	compose []string
	dir     string
	project string
	env     []string
	pages   []string // of hotswap-1 and hotswap-2
}

// startStack builds and starts the containers. Settings are "NAME=value". All of
// it ends with the test.
func startStack(t *testing.T, settings []string, args ...string) *stack {
	t.Helper()
	s := &stack{compose: compose(t), dir: t.TempDir()}
	if out, err := exec.CommandContext(t.Context(), "git", "clone", "--quiet", "../..", s.dir).CombinedOutput(); err != nil {
		t.Fatalf("clone the repository: %v\n%s", err, out)
	}
	ports := freePorts(t, 5)
	for i, name := range []string{"HOTSWAP_1_PORT", "HOTSWAP_2_PORT", "PRIMARY_PORT", "FALLBACK_PORT", "RABBITMQ_PORT"} {
		s.env = append(s.env, fmt.Sprintf("%s=%d", name, ports[i]))
	}
	s.env = append(s.env, settings...)
	s.project = fmt.Sprintf("browser%d", ports[0])
	s.pages = []string{fmt.Sprintf("http://127.0.0.1:%d", ports[0]), fmt.Sprintf("http://127.0.0.1:%d", ports[1])}
	t.Cleanup(func() {
		if t.Failed() {
			out, _ := s.command(context.Background(), "logs", "--no-color", "--tail=40").CombinedOutput()
			t.Logf("the end of the log:\n%s", out)
		}
		s.command(context.Background(), "down", "--volumes", "--rmi", "local", "--timeout", "3").Run() //nolint:errcheck // the test is over
	})
	s.run(t, append([]string{"up", "--build", "--detach"}, args...)...)
	return s
}

func compose(t *testing.T) []string {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), "docker", "info").CombinedOutput(); err != nil {
		t.Skipf("no Docker engine answers: %v\n%s", err, out)
	}
	if command := strings.Fields(os.Getenv("COMPOSE")); len(command) > 0 {
		return command
	}
	if exec.CommandContext(t.Context(), "docker", "compose", "version").Run() == nil {
		return []string{"docker", "compose"}
	}
	if _, err := exec.LookPath("docker-compose"); err != nil {
		t.Skip("neither docker compose nor docker-compose is installed")
	}
	return []string{"docker-compose"}
}

func (s *stack) command(ctx context.Context, args ...string) *exec.Cmd {
	args = append(append(append([]string(nil), s.compose[1:]...), "-p", s.project), args...)
	cmd := exec.CommandContext(ctx, s.compose[0], args...)
	cmd.Dir = s.dir
	cmd.Env = append(os.Environ(), s.env...)
	return cmd
}

func (s *stack) run(t *testing.T, args ...string) {
	t.Helper()
	if out, err := s.command(t.Context(), args...).CombinedOutput(); err != nil {
		t.Fatalf("compose %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// freePorts finds n ports that are free now.
func freePorts(t *testing.T, n int) []int {
	t.Helper()
	ports := make([]int, n)
	for i := range ports {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		ports[i] = l.Addr().(*net.TCPAddr).Port
	}
	return ports
}
