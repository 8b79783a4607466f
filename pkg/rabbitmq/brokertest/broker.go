// Package brokertest starts private RabbitMQ brokers for tests, and breaks them.
//
// A broker runs from the host's rabbitmq-server package, as a node of its own in
// a temporary folder, or in a container of the official image. Where neither is
// to be had the test is skipped.
package brokertest

import (
	"fmt"
	"net"
	"testing"
	"time"

	amqp "github.com/rabbitmq/amqp091-go"
)

// Broker is one running broker. What it does to itself it has done when the
// method returns; a failure ends the test.
type Broker interface {
	// Port is where it speaks AMQP, on 127.0.0.1.
	Port() int
	// Stop shuts it down, Kill ends it without notice (kill -9). Start starts it,
	// with the data it had, unless it runs.
	Stop(testing.TB)
	Kill(testing.TB)
	Start(testing.TB)
	// Freeze and Thaw stop and continue its process.
	Freeze(testing.TB)
	Thaw(testing.TB)
	// Empty makes it forget all it ever held, running or not, and leaves it
	// stopped.
	Empty(testing.TB)
	// Ctl runs rabbitmqctl against it and returns its output.
	Ctl(t testing.TB, args ...string) string
}

// User and Password are what every broker of this package lets in. No log and no
// error may show the password.
const (
	User     = "hotswap"
	Password = "not-in-any-log"
)

// URL is where b is reached, in the default vhost.
func URL(b Broker) string { return URLAt(b.Port()) }

// URLAt is where a broker on a port of 127.0.0.1 is reached.
func URLAt(port int) string { return urlAt(fmt.Sprintf("127.0.0.1:%d", port)) }

func urlAt(address string) string {
	return fmt.Sprintf("amqp://%s:%s@%s/", User, Password, address)
}

// Kind is a way to run a broker.
type Kind struct {
	// Name says which broker it is, for the names of subtests.
	Name string
	// New makes a broker that does not run yet; Start starts it. It ends with the
	// test, and skips it where this kind is not to be had.
	New func(testing.TB) Broker
}

// Kinds are the versions of RabbitMQ that the bus is tested on: Debian 12's, from
// the host's package or else in a container, and Debian 13's, in a container.
func Kinds() []Kind {
	older := Kind{"RabbitMQ 3.10", func(t testing.TB) Broker { return newContainer(t, olderImage) }}
	if hostAvailable() {
		older = Kind{"RabbitMQ of the host", newHost}
	}
	return []Kind{older, {"RabbitMQ 4.0", func(t testing.TB) Broker { return newContainer(t, newerImage) }}}
}

// Start starts a broker of the first kind that is to be had here.
func Start(t testing.TB) Broker {
	t.Helper()
	kinds := Kinds()
	kind := kinds[0]
	if !hostAvailable() && !imageAvailable(olderImage) && imageAvailable(newerImage) {
		kind = kinds[1]
	}
	b := kind.New(t)
	b.Start(t)
	return b
}

// patience bounds the waits for a broker. On a machine with much else to do one
// takes minutes to start.
const patience = 5 * time.Minute

// await waits until ok, and fails the test when that takes too long.
func await(t testing.TB, what string, ok func() bool) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for !ok() {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain for %s", what)
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// freePorts finds n ports that are free now.
func freePorts(t testing.TB, n int) []int {
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

// answers reports whether a broker lets us in. An open port says little: that of
// a container is open before the broker in it listens.
func answers(port int) bool {
	conn, err := amqp.DialConfig(URLAt(port), amqp.Config{Dial: amqp.DefaultDial(2 * time.Second)})
	if err != nil {
		return false
	}
	_ = conn.CloseDeadline(time.Now().Add(time.Second))
	return true
}

func accepts(port int) bool {
	conn, err := net.DialTimeout("tcp", fmt.Sprintf("127.0.0.1:%d", port), time.Second)
	if err != nil {
		return false
	}
	conn.Close()
	return true
}
