package brokertest

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"
)

// The images, official or made by scripts/base-images.sh. The newer one is that of
// docker-compose.yml.
const (
	olderImage = "rabbitmq:3.10.8"
	newerImage = "rabbitmq:4.0.5"
)

func imageAvailable(image string) bool {
	return exec.Command("docker", "image", "inspect", image).Run() == nil
}

// newContainer makes a broker in a container.
func newContainer(t testing.TB, image string) Broker {
	t.Helper()
	if !imageAvailable(image) {
		t.Skipf("needs a Docker engine with the image %s (see scripts/base-images.sh)", image)
	}
	port := freePorts(t, 1)[0]
	c := &container{name: fmt.Sprintf("brokertest-%d", port), image: image, port: port}
	t.Cleanup(c.remove)
	return c
}

type container struct {
	name, image     string
	port            int
	exists, running bool
}

func (c *container) Port() int { return c.port }

func (c *container) Start(t testing.TB) {
	t.Helper()
	switch {
	case c.running:
		return
	case c.exists:
		docker(t, "start", c.name)
	default:
		docker(t, "run", "--detach", "--name", c.name, "--hostname", "broker",
			"--publish", fmt.Sprintf("127.0.0.1:%d:5672", c.port),
			"--env", "RABBITMQ_DEFAULT_USER="+User, "--env", "RABBITMQ_DEFAULT_PASS="+Password,
			"--env", "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS=+S 1:1",
			// One user for the server and its tools: see docker-compose.yml.
			"--user", "rabbitmq", "--ulimit", "nofile=8192:8192", c.image)
		c.exists = true
	}
	c.running = true
	await(t, "the broker to start", func() bool { return answers(c.port) })
}

func (c *container) Stop(t testing.TB) {
	t.Helper()
	docker(t, "stop", "--time", "60", c.name)
	c.running = false
}

func (c *container) Kill(t testing.TB) {
	t.Helper()
	docker(t, "kill", c.name)
	c.running = false
}

func (c *container) Freeze(t testing.TB) {
	t.Helper()
	// On a busy machine the engine gives up before every thread has stopped.
	await(t, "the container to freeze", func() bool { return exec.Command("docker", "pause", c.name).Run() == nil })
}

func (c *container) Thaw(t testing.TB) {
	t.Helper()
	docker(t, "unpause", c.name)
}

func (c *container) Empty(t testing.TB) {
	t.Helper()
	c.remove()
	c.exists, c.running = false, false
}

func (c *container) Ctl(t testing.TB, args ...string) string {
	t.Helper()
	return docker(t, append([]string{"exec", c.name, "rabbitmqctl", "-q"}, args...)...)
}

func (c *container) remove() {
	_ = exec.Command("docker", "rm", "--force", "--volumes", c.name).Run()
}

func docker(t testing.TB, args ...string) string {
	t.Helper()
	output, err := exec.Command("docker", args...).CombinedOutput()
	if err != nil {
		t.Fatalf("docker %s: %v\n%s", strings.Join(args, " "), err, output)
	}
	return string(output)
}
