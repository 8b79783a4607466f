package scenario

import (
	"context"
	"log/slog"
	"sync"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/hotswap"
	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/membus"
	"github.com/adapter-hotswap/adapter-hotswap-go/services/hotswap/composition"
)

// wires are the bus of a stage, with a wire to each instance that can be cut.
type wires interface {
	// connect is how instance i makes its bus, settings what it needs for that.
	connect(i int) composition.Connect
	settings(i int) settings
	cut(i int)
	mend(i int)
	// audit reads the log.
	audit(ctx context.Context) (audit, error)
	// close leaves nothing behind.
	close() error
}

// wiresOf opens the bus: in memory, or at a broker.
func wiresOf(ctx context.Context, amqp string, instances int) (wires, error) {
	if amqp == "" {
		return newMemory(instances), nil
	}
	return newBroker(ctx, amqp, instances)
}

// memory are the wires of the bus in memory.
type memory struct {
	log *membus.Log

	mu    sync.Mutex
	conns []*membus.Conn // of each instance, the newest
}

func newMemory(instances int) *memory {
	return &memory{log: membus.New(), conns: make([]*membus.Conn, instances)}
}

func (m *memory) connect(i int) composition.Connect {
	return func(composition.Settings, string, *slog.Logger) (composition.Bus, error) {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.conns[i] = m.log.Connect()
		return m.conns[i], nil
	}
}

func (m *memory) conn(i int) *membus.Conn {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.conns[i]
}

func (m *memory) settings(int) settings { return nil }
func (m *memory) cut(i int)             { m.conn(i).Cut() }
func (m *memory) mend(i int)            { m.conn(i).Mend() }
func (m *memory) close() error          { return nil }

func (m *memory) audit(ctx context.Context) (audit, error) {
	conn := m.log.Connect()
	defer conn.Close()
	return auditOf(ctx, conn)
}

var _ hotswap.Subscriber = (*audit)(nil)
