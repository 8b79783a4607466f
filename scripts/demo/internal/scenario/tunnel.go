package scenario

import (
	"context"
	"fmt"
	"io"
	"net"
	"sync"
)

// tunnel passes connections of one instance on to the broker, and can be cut.
type tunnel struct {
	target   string
	listener net.Listener
	running  sync.WaitGroup

	mu    sync.Mutex
	down  bool
	conns map[net.Conn]bool
}

func newTunnel(ctx context.Context, target string) (*tunnel, error) {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("open a tunnel: %w", err)
	}
	t := &tunnel{target: target, listener: listener, conns: make(map[net.Conn]bool)}
	t.running.Go(t.accept)
	return t, nil
}

func (t *tunnel) address() string { return t.listener.Addr().String() }

// cut ends every connection and refuses new ones until mend.
func (t *tunnel) cut() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.down = true
	for conn := range t.conns {
		conn.Close()
	}
}

func (t *tunnel) mend() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.down = false
}

func (t *tunnel) close() {
	t.listener.Close()
	t.cut()
	t.running.Wait()
}

func (t *tunnel) accept() {
	for {
		client, err := t.listener.Accept()
		if err != nil {
			return
		}
		t.running.Go(func() { t.pass(client) })
	}
}

func (t *tunnel) pass(client net.Conn) {
	defer t.end(client)
	if !t.begin(client) {
		return
	}
	server, err := net.Dial("tcp", t.target)
	if err != nil {
		return
	}
	defer t.end(server)
	if !t.begin(server) {
		return
	}
	var copying sync.WaitGroup
	copying.Go(func() { copyAndClose(server, client) })
	copying.Go(func() { copyAndClose(client, server) })
	copying.Wait()
}

func copyAndClose(to, from net.Conn) {
	defer to.Close()
	defer from.Close()
	_, _ = io.Copy(to, from) // ends with either side, which is all there is to know
}

// begin reports whether conn may live.
func (t *tunnel) begin(conn net.Conn) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.conns[conn] = true
	return !t.down
}

func (t *tunnel) end(conn net.Conn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.conns, conn)
	conn.Close()
}
