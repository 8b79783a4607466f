package cluster

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// build compiles the three services and returns where they are.
func build(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	command := exec.Command("go", "build", "-o", dir+string(filepath.Separator),
		"../../services/primary", "../../services/fallback", "../../services/hotswap")
	if output, err := command.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, output)
	}
	return dir
}

// process is one running service.
type process struct {
	name    string
	command *exec.Cmd
	read    sync.WaitGroup

	mu      sync.Mutex
	records []record
}

// record is a line of its log, in LOG_FORMAT=json.
type record struct {
	Time    time.Time `json:"time"`
	Message string    `json:"msg"`
}

func run(t *testing.T, binary, name string, environ map[string]string) *process {
	t.Helper()
	p := &process{name: name, command: exec.Command(binary)}
	p.command.Env = append(os.Environ(), "LOG_FORMAT=json")
	for variable, value := range environ {
		p.command.Env = append(p.command.Env, variable+"="+value)
	}
	stdout, err := p.command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.command.Stderr = os.Stderr
	if err := p.command.Start(); err != nil {
		t.Fatal(err)
	}
	p.read.Go(func() { p.follow(stdout) })
	return p
}

func (p *process) follow(stdout io.Reader) {
	lines := bufio.NewScanner(stdout)
	for lines.Scan() {
		var r record
		if json.Unmarshal(lines.Bytes(), &r) != nil {
			continue
		}
		p.mu.Lock()
		p.records = append(p.records, r)
		p.mu.Unlock()
	}
}

// said returns the records since from whose message begins with that.
func (p *process) said(from time.Time, message string) []record {
	p.mu.Lock()
	defer p.mu.Unlock()
	var found []record
	for _, r := range p.records {
		if !r.Time.Before(from) && strings.HasPrefix(r.Message, message) {
			found = append(found, r)
		}
	}
	return found
}

// stop asks it to end, and expects it to do so well.
func (p *process) stop(t *testing.T) {
	t.Helper()
	_ = p.command.Process.Signal(syscall.SIGTERM)
	p.read.Wait()
	if err := p.command.Wait(); err != nil {
		t.Errorf("%s: %v after SIGTERM, want exit code 0", p.name, err)
	}
}

// kill ends it without notice.
func (p *process) kill() {
	_ = p.command.Process.Kill()
	p.read.Wait()
	_ = p.command.Wait()
}
