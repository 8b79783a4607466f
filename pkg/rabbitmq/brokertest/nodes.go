package brokertest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Nodes is a broker of three nodes, started by docs/cluster/docker-compose.yml.
type Nodes struct {
	project string
	compose []string
	env     []string
	// Ports are where the nodes speak AMQP, on 127.0.0.1.
	Ports []int
}

// nodeServices are the nodes' names in the compose files, in the order of Ports.
var nodeServices = []string{"rabbitmq", "rabbitmq-2", "rabbitmq-3"}

// StartNodes starts the nodes of the compose files under root, and removes them
// at the end of the test. It skips the test without Docker, compose or the image.
func StartNodes(t testing.TB, root string) *Nodes {
	t.Helper()
	compose := findCompose()
	if compose == nil {
		t.Skip("needs docker-compose")
	}
	if !imageAvailable(newerImage) {
		t.Skipf("needs a Docker engine with the image %s (see scripts/base-images.sh)", newerImage)
	}
	ports := freePorts(t, len(nodeServices))
	n := &Nodes{
		project: fmt.Sprintf("nodes%d", ports[0]),
		Ports:   ports,
		env: append(os.Environ(),
			fmt.Sprintf("RABBITMQ_PORT=%d", ports[0]), fmt.Sprintf("RABBITMQ_2_PORT=%d", ports[1]),
			fmt.Sprintf("RABBITMQ_3_PORT=%d", ports[2])),
	}
	n.compose = append(compose, "--project-name", n.project,
		"--file", filepath.Join(root, "docker-compose.yml"),
		"--file", filepath.Join(root, "docs", "cluster", "docker-compose.yml"))
	t.Cleanup(func() { n.run(t, "down", "--volumes", "--timeout", "0") })
	n.run(t, append([]string{"up", "--detach"}, nodeServices...)...)
	await(t, "three nodes that know each other", n.complete)
	n.ctl(t, "change_password", User, Password)
	return n
}

func findCompose() []string {
	for _, command := range [][]string{{"docker-compose"}, {"docker", "compose"}} {
		if exec.Command(command[0], append(command[1:], "version")...).Run() == nil {
			return command
		}
	}
	return nil
}

// complete reports whether every node runs and knows the others.
func (n *Nodes) complete() bool {
	for _, service := range nodeServices {
		output, err := n.command("exec", "-T", service, "rabbitmqctl", "-q", "eval",
			"length(rabbit_nodes:list_running()) =:= 3 andalso rabbit:is_running().").Output()
		if err != nil || strings.TrimSpace(string(output)) != "true" {
			return false
		}
	}
	return true
}

// StopLeader kills the node that leads the stream, and returns its name.
func (n *Nodes) StopLeader(t testing.TB, stream string) string {
	t.Helper()
	for line := range strings.Lines(n.ctl(t, "list_queues", "--silent", "name", "leader")) {
		fields := strings.Fields(line)
		if len(fields) != 2 || fields[0] != stream {
			continue
		}
		service := strings.TrimPrefix(fields[1], "rabbit@")
		n.run(t, "kill", service)
		return service
	}
	t.Fatalf("no node leads %s", stream)
	return ""
}

func (n *Nodes) ctl(t testing.TB, args ...string) string {
	t.Helper()
	return n.run(t, append([]string{"exec", "-T", nodeServices[0], "rabbitmqctl", "-q"}, args...)...)
}

func (n *Nodes) run(t testing.TB, args ...string) string {
	t.Helper()
	output, err := n.command(args...).CombinedOutput()
	if err != nil {
		t.Errorf("docker-compose %s: %v\n%s", strings.Join(args, " "), err, output)
	}
	return string(output)
}

func (n *Nodes) command(args ...string) *exec.Cmd {
	all := append(append([]string{}, n.compose...), args...)
	cmd := exec.Command(all[0], all[1:]...)
	cmd.Env = n.env
	return cmd
}
