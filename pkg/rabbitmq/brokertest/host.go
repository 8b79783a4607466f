//go:build unix

package brokertest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// bin holds the package's scripts as they are, without the wrapper that changes
// the user and writes to the system's log folder.
const bin = "/usr/lib/rabbitmq/bin"

func hostAvailable() bool {
	_, err := os.Stat(filepath.Join(bin, "rabbitmq-server"))
	return err == nil
}

// newHost makes a broker from the host's rabbitmq-server package.
func newHost(t testing.TB) Broker {
	t.Helper()
	if !hostAvailable() {
		t.Skip("needs the package rabbitmq-server, which is not installed on this host")
	}
	ports := freePorts(t, 3)
	h := &host{dir: tempDir(t), port: ports[0]}
	h.name = fmt.Sprintf("test-%d@localhost", ports[0])
	h.env = append(os.Environ(),
		"PATH="+bin+":"+os.Getenv("PATH"),
		"HOME="+h.dir,
		"RABBITMQ_NODENAME="+h.name,
		"RABBITMQ_NODE_IP_ADDRESS=127.0.0.1",
		"RABBITMQ_NODE_PORT="+strconv.Itoa(h.port),
		"RABBITMQ_DIST_PORT="+strconv.Itoa(ports[1]),
		"RABBITMQ_MNESIA_BASE="+h.data(),
		"RABBITMQ_LOG_BASE="+filepath.Join(h.dir, "log"),
		"RABBITMQ_CONFIG_FILE="+filepath.Join(h.dir, "rabbitmq"),
		"RABBITMQ_ENABLED_PLUGINS_FILE="+filepath.Join(h.dir, "enabled_plugins"),
		"RABBITMQ_CONF_ENV_FILE="+filepath.Join(h.dir, "none"),
		"RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS=+S 1:1",
		"ERL_EPMD_ADDRESS=127.0.0.1",
		"ERL_EPMD_PORT="+strconv.Itoa(ports[2]),
	)
	h.write(t, "enabled_plugins", "[].")
	h.write(t, "rabbitmq.conf", "default_user = "+User+"\ndefault_pass = "+Password+"\n")
	h.startMapper(t)
	t.Cleanup(h.stop)
	return h
}

// host is a node on this machine. Its process is a child of the test.
type host struct {
	name string
	dir  string
	port int
	env  []string
	node *exec.Cmd
	// mapper is Erlang's port mapper. A node would start one that outlives it.
	mapper *exec.Cmd
}

func (h *host) Port() int    { return h.port }
func (h *host) data() string { return filepath.Join(h.dir, "data") }

func (h *host) Start(t testing.TB) {
	t.Helper()
	if h.node != nil {
		return
	}
	output, err := os.Create(filepath.Join(h.dir, "output"))
	if err != nil {
		t.Fatal(err)
	}
	defer output.Close()
	h.node = exec.Command(filepath.Join(bin, "rabbitmq-server"))
	h.node.Env, h.node.Stdout, h.node.Stderr = h.env, output, output
	// The scripts leave helper processes behind; a group reaches them all.
	h.node.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := h.node.Start(); err != nil {
		t.Fatal(err)
	}
	await(t, "the broker to start", func() bool { return answers(h.port) })
}

func (h *host) Stop(t testing.TB) {
	t.Helper()
	h.Ctl(t, "stop")
	_ = h.node.Wait()
	h.node = nil
}

func (h *host) Kill(t testing.TB) {
	t.Helper()
	h.signal(syscall.SIGKILL)
	_ = h.node.Wait()
	h.node = nil
	await(t, "the broker's port to close", func() bool { return !accepts(h.port) })
}

func (h *host) Freeze(t testing.TB) { h.signal(syscall.SIGSTOP) }
func (h *host) Thaw(t testing.TB)   { h.signal(syscall.SIGCONT) }

func (h *host) signal(s syscall.Signal) { _ = syscall.Kill(-h.node.Process.Pid, s) }

func (h *host) Empty(t testing.TB) {
	t.Helper()
	if h.node != nil {
		h.Kill(t)
	}
	if err := os.RemoveAll(h.data()); err != nil {
		t.Fatal(err)
	}
}

func (h *host) Ctl(t testing.TB, args ...string) string {
	t.Helper()
	cmd := exec.Command(filepath.Join(bin, "rabbitmqctl"), append([]string{"-q"}, args...)...)
	cmd.Env = h.env
	output, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("rabbitmqctl %s: %v\n%s", strings.Join(args, " "), err, output)
	}
	return string(output)
}

func (h *host) startMapper(t testing.TB) {
	t.Helper()
	h.mapper = exec.Command("epmd")
	h.mapper.Env = h.env
	if err := h.mapper.Start(); err != nil {
		t.Fatal(err)
	}
}

func (h *host) stop() {
	if h.node != nil {
		h.signal(syscall.SIGKILL)
		_ = h.node.Wait()
	}
	_ = h.mapper.Process.Kill()
	_ = h.mapper.Wait()
}

func (h *host) write(t testing.TB, name, content string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(h.dir, name), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// tempDir is t.TempDir, but for a node that may still write while it is removed.
func tempDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "brokertest-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}
