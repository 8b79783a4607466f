package e2e

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// patience bounds each wait for something that takes seconds. It is long because
// a loaded machine is slow, and no test of this package is about speed.
const patience = 3 * time.Minute

// ours are the services of docker-compose.yml that this repository builds.
var ours = []string{"primary", "fallback", "hotswap-1", "hotswap-2"}

// stack is docker-compose.yml of a clean clone, as a project of its own.
type stack struct {
	compose []string // the command
	dir     string
	project string
	env     []string
	ports   map[string]int // on the host, by service
}

// newStack clones the repository. Settings are "NAME=value". What it starts ends
// with the test.
func newStack(t *testing.T, settings ...string) *stack {
	t.Helper()
	compose := needContainers(t)
	s := &stack{compose: compose, dir: t.TempDir(), ports: map[string]int{}}
	if out, err := exec.Command("git", "clone", "--quiet", "../..", s.dir).CombinedOutput(); err != nil {
		t.Fatalf("clone the repository: %v\n%s", err, out)
	}
	ports := freePorts(t, 5)
	variables := []string{"PRIMARY_PORT", "FALLBACK_PORT", "HOTSWAP_1_PORT", "HOTSWAP_2_PORT", "RABBITMQ_PORT"}
	for i, service := range append(ours, "rabbitmq") {
		s.ports[service] = ports[i]
		s.env = append(s.env, fmt.Sprintf("%s=%d", variables[i], ports[i]))
	}
	s.project = fmt.Sprintf("e2e%d", ports[0])
	// Compose of version 1 is a Python program, which holds back what it prints.
	s.env = append(append(s.env, "PYTHONUNBUFFERED=1"), settings...)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the end of the log:\n%s", s.output("logs", "--no-color", "-t", "--tail=60"))
		}
		s.output("down", "--volumes", "--rmi", "local", "--timeout", "3")
		s.removeImages()
	})
	return s
}

// needContainers skips the test unless it was asked for, and finds compose.
func needContainers(t *testing.T) []string {
	t.Helper()
	if os.Getenv("E2E") == "" {
		t.Skip("starts containers for some minutes: set E2E=1 to run it (scripts/test.sh does)")
	}
	if out, err := exec.Command("docker", "info").CombinedOutput(); err != nil {
		t.Fatalf("no Docker engine answers: %v\n%s", err, out)
	}
	if command := strings.Fields(os.Getenv("COMPOSE")); len(command) > 0 {
		return command
	}
	if exec.Command("docker", "compose", "version").Run() == nil {
		return []string{"docker", "compose"}
	}
	if _, err := exec.LookPath("docker-compose"); err != nil {
		t.Fatal("neither docker compose nor docker-compose is installed")
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

// run runs compose to its end and returns what it printed.
func (s *stack) run(t *testing.T, args ...string) string {
	t.Helper()
	out, err := s.command(t.Context(), args...).CombinedOutput()
	if err != nil {
		t.Fatalf("compose %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// output is run for when the test is over already: it can't fail.
func (s *stack) output(args ...string) string {
	out, _ := s.command(context.Background(), args...).CombinedOutput()
	return string(out)
}

// removeImages removes what "down" leaves of a service without a container.
func (s *stack) removeImages() {
	images, _ := exec.Command("docker", "images", "--quiet", "--filter", "reference="+s.project+"*").Output()
	for _, id := range strings.Fields(string(images)) {
		_ = exec.Command("docker", "rmi", id).Run()
	}
}

// container is the id of the service's container.
func (s *stack) container(t *testing.T, service string) string {
	t.Helper()
	cmd := s.command(t.Context(), "ps", "--all", "--quiet", service)
	id, err := cmd.Output()
	if err != nil {
		t.Fatalf("container of %s: %v", service, err)
	}
	return string(bytes.TrimSpace(id))
}

// inspect is one property of the service's container, as in docker inspect.
func (s *stack) inspect(t *testing.T, service, format string) string {
	t.Helper()
	return docker(t, "inspect", "--format", format, s.container(t, service))
}

// docker runs the docker command and returns what it printed.
func docker(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "docker", args...).CombinedOutput()
	if err != nil {
		t.Fatalf("docker %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// await waits until ok says so.
func await(t *testing.T, what string, ok func() bool) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for !ok() {
		if time.Now().After(deadline) {
			t.Fatalf("waited %v in vain: %s", patience, what)
		}
		time.Sleep(50 * time.Millisecond)
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
