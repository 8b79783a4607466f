package brokertest

import (
	"fmt"
	"net"
	"sync"
	"testing"
)

// Proxy stands between one instance and the broker, so that a test can break
// that instance's connection alone.
type Proxy struct {
	target   string
	listener net.Listener
	running  sync.WaitGroup

	mu     sync.Mutex
	cond   *sync.Cond
	conns  map[net.Conn]bool
	cut    bool
	frozen bool
	// cutAfter, if positive, cuts each new connection once the broker has sent that
	// many bytes on it.
	cutAfter int
	accepted int
}

// NewProxy starts a proxy in front of 127.0.0.1:port and ends it with the test.
func NewProxy(t testing.TB, port int) *Proxy {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return NewProxyOn(t, listener, port)
}

// NewProxyOn is NewProxy with a listener of the caller's, such as one for TLS.
func NewProxyOn(t testing.TB, listener net.Listener, port int) *Proxy {
	t.Helper()
	p := &Proxy{
		target:   fmt.Sprintf("127.0.0.1:%d", port),
		listener: listener,
		conns:    map[net.Conn]bool{},
	}
	p.cond = sync.NewCond(&p.mu)
	p.running.Go(p.accept)
	t.Cleanup(p.stop)
	return p
}

// URL is where the instance reaches the broker.
func (p *Proxy) URL() string { return urlAt(p.listener.Addr().String()) }

// Accepted counts the connections that were made to the proxy.
func (p *Proxy) Accepted() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.accepted
}

// Cut ends every connection and refuses new ones until Mend.
func (p *Proxy) Cut() { p.set(func() { p.cut = true; p.dropAll(false) }) }

// Reset ends every connection with a TCP reset. New ones pass.
func (p *Proxy) Reset() { p.set(func() { p.dropAll(true) }) }

// Freeze holds back every byte, in both directions, until Mend.
func (p *Proxy) Freeze() { p.set(func() { p.frozen = true }) }

// CutAfter ends each connection from now on once the broker has sent n bytes on
// it, until Mend.
func (p *Proxy) CutAfter(n int) { p.set(func() { p.cutAfter = n }) }

// Mend lets everything pass again.
func (p *Proxy) Mend() { p.set(func() { p.cut, p.frozen, p.cutAfter = false, false, 0 }) }

func (p *Proxy) set(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f()
	p.cond.Broadcast()
}

// dropAll closes every connection. The caller holds the mutex.
func (p *Proxy) dropAll(reset bool) {
	for conn := range p.conns {
		if tcp, ok := conn.(*net.TCPConn); ok && reset {
			_ = tcp.SetLinger(0)
		}
		_ = conn.Close()
	}
}

func (p *Proxy) stop() {
	_ = p.listener.Close()
	p.Mend()
	p.set(func() { p.dropAll(false) })
	p.running.Wait()
}

func (p *Proxy) accept() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		p.set(func() { p.accepted++ })
		p.running.Go(func() { p.serve(client) })
	}
}

func (p *Proxy) serve(client net.Conn) {
	defer p.forget(client)
	if !p.remember(client) {
		return
	}
	broker, err := net.Dial("tcp", p.target)
	if err != nil {
		return
	}
	defer p.forget(broker)
	if !p.remember(broker) {
		return
	}
	var copying sync.WaitGroup
	copying.Go(func() { p.copy(broker, client, 0) })
	copying.Go(func() { p.copy(client, broker, p.limit()) })
	copying.Wait()
}

// remember reports whether conn may live.
func (p *Proxy) remember(conn net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.conns[conn] = true
	return !p.cut
}

func (p *Proxy) forget(conn net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.conns, conn)
	_ = conn.Close()
}

func (p *Proxy) limit() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.cutAfter
}

// copy passes bytes on until either side ends, or limit bytes have passed.
func (p *Proxy) copy(to, from net.Conn, limit int) {
	defer to.Close()
	defer from.Close()
	buffer := make([]byte, 16<<10)
	for passed := 0; limit == 0 || passed < limit; {
		n, err := from.Read(buffer)
		p.waitThawed()
		if n > 0 {
			if _, err := to.Write(buffer[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
		passed += n
	}
}

func (p *Proxy) waitThawed() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.frozen {
		p.cond.Wait()
	}
}
