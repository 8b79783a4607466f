package composition

import (
	"context"
	"errors"
	"fmt"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/hotswap"
	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/rabbitmq"
	"github.com/adapter-hotswap/adapter-hotswap-go/services/hotswap/adapters/partition"
	"github.com/adapter-hotswap/adapter-hotswap-go/services/hotswap/adapters/upstream"
	"github.com/adapter-hotswap/adapter-hotswap-go/services/hotswap/adapters/web"
	"github.com/adapter-hotswap/adapter-hotswap-go/services/hotswap/adapters/web/live"
	"github.com/adapter-hotswap/adapter-hotswap-go/services/hotswap/walkthrough"
)

// view makes what the page shows. A Bus that also carries gossip lets it show
// the other instances.
func (c *Service) view(s Settings, id string, status func() hotswap.Status) *live.Live {
	settings := live.Settings{ID: id, Name: s.Instance, Chaos: s.Chaos, Timeout: s.Timeout, Status: status,
		Journal: c.journal, Log: c.log,
		Primary: source{c.primary}, PrimaryName: walkthrough.Primary,
		Fallback: source{c.fallback}, FallbackName: walkthrough.Fallback}
	if gossip, ok := c.bus.(live.Gossip); ok {
		settings.Gossip = gossip
	}
	if c.line != nil {
		settings.Line = c.line
	}
	return live.New(settings)
}

// openLine returns the bus as the instance uses it: one that can be cut where that is
// allowed.
func (c *Service) openLine(chaos bool) hotswap.Bus {
	if !chaos {
		return c.bus
	}
	c.line = partition.New(c.bus)
	return c.line
}

// faults is the primary's fault API where breaking things is allowed.
func (c *Service) faults(chaos bool) web.Faults {
	if !chaos {
		return nil
	}
	return c.primary
}

// The bus on RabbitMQ carries gossip.
var _ live.Gossip = (*rabbitmq.Bus)(nil)

// source is an upstream as the page asks it.
type source struct{ *upstream.Adapter }

func (s source) Health(ctx context.Context) error {
	err := s.Adapter.Health(ctx)
	if errors.Is(err, upstream.ErrDown) {
		return fmt.Errorf("%w: %w", live.ErrDown, err)
	}
	return err
}
