package e2e

import (
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/service"
	"github.com/adapter-hotswap/adapter-hotswap-go/services/fallback/steady"
	"github.com/adapter-hotswap/adapter-hotswap-go/services/hotswap/composition"
	"github.com/adapter-hotswap/adapter-hotswap-go/services/primary/flaky"
)

// notInCompose are settings that make no sense for all containers alike, or that
// need a file in the container.
var notInCompose = []string{"INSTANCE", "ANIMAL", "AMQP_CA_FILE", "AMQP_CERT_FILE", "AMQP_KEY_FILE"}

// The compose file hands every setting of the services on, and knows no other.
func TestComposeNamesTheSettings(t *testing.T) {
	file, err := os.ReadFile("../../docker-compose.yml")
	if err != nil {
		t.Fatal(err)
	}
	var named []string
	for _, m := range regexp.MustCompile(`(?m)^ +([A-Z][A-Z_]+):`).FindAllStringSubmatch(string(file), -1) {
		named = append(named, m[1])
	}
	known := []string{"GOPROXY", "CA_BUNDLE", "RABBITMQ_DEFAULT_USER", "RABBITMQ_DEFAULT_PASS", "RABBITMQ_LOG"}
	for _, of := range [][]service.Setting{
		service.Settings[composition.Settings](), service.Settings[flaky.Settings](), service.Settings[steady.Settings](),
	} {
		for _, setting := range of {
			known = append(known, setting.Name)
			if !slices.Contains(named, setting.Name) && !slices.Contains(notInCompose, setting.Name) {
				t.Errorf("docker-compose.yml does not pass %s on", setting.Name)
			}
		}
	}
	for _, name := range named {
		if !slices.Contains(known, name) {
			t.Errorf("docker-compose.yml sets %s, which no service reads", name)
		}
	}
}

// A bad setting stops a container with one line that says what is wrong.
func TestBadSettings(t *testing.T) {
	s := newStack(t)
	s.run(t, "build")
	s.run(t, "up", "--no-start")
	tests := []struct{ service, name, value string }{
		{"primary", "PORT", "http"},
		{"primary", "HEALTHY_FOR", "soon"},
		{"primary", "FAILING_FOR", "-1s"},
		{"primary", "FAULT", "odd"},
		{"primary", "LOG_FORMAT", "xml"},
		{"fallback", "PORT", "70000"},
		{"fallback", "LOG_FORMAT", "xml"},
		{"hotswap-1", "PORT", "-1"},
		{"hotswap-1", "TIMEOUT", "3"},
		{"hotswap-1", "POLL_INTERVAL", "-1s"},
		{"hotswap-1", "HEALTH_INTERVAL", "0s"},
		{"hotswap-1", "PRIMARY_URL", "primary"},
		{"hotswap-1", "AMQP_URL", "http://rabbitmq"},
		{"hotswap-1", "LOG_FORMAT", "xml"},
		{"hotswap-1", "QUORUM", "none"},
		{"hotswap-1", "CHAOS", "maybe"},
	}
	for _, tt := range tests {
		t.Run(tt.service+" "+tt.name, func(t *testing.T) {
			image := s.inspect(t, tt.service, "{{.Image}}")
			out, err := exec.CommandContext(t.Context(), "docker", "run", "--rm", "--network", "none", "--env", tt.name+"="+tt.value, image).CombinedOutput()
			refused(t, string(out), err, tt.name, tt.value)
		})
	}
}

// A port that another process has stops a service, too.
func TestPortInUse(t *testing.T) {
	s := newStack(t)
	s.run(t, "up", "--build", "--detach", "fallback")
	id := s.container(t, "fallback")
	out, err := exec.CommandContext(t.Context(), "docker", "run", "--rm", "--network", "container:"+id, s.inspect(t, "fallback", "{{.Image}}")).CombinedOutput()
	refused(t, string(out), err, "PORT", "8080")
}

func refused(t *testing.T, out string, err error, words ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("it ran, and printed:\n%s", out)
	}
	if n := strings.Count(out, "\n"); n != 1 {
		t.Errorf("it printed %d lines, want 1:\n%s", n, out)
	}
	for _, word := range words {
		if !strings.Contains(out, word) {
			t.Errorf("it printed %q, want %q in it", out, word)
		}
	}
}
