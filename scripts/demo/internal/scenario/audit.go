package scenario

import (
	"context"
	"errors"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/hotswap"
)

// audit reads the log as every instance does.
type audit struct {
	stop  context.CancelFunc
	state hotswap.State
	// switches were accepted; broadcasts are all entries that ask for a switch, the
	// void ones and votes included.
	switches, broadcasts int
}

// auditOf reads what the log holds by now.
func auditOf(ctx context.Context, bus hotswap.Bus) (audit, error) {
	reading, stop := context.WithCancel(ctx)
	defer stop()
	a := audit{stop: stop}
	err := bus.Subscribe(reading, &a)
	if errors.Is(err, context.Canceled) && ctx.Err() == nil {
		err = nil
	}
	return a, err
}

func (a *audit) Begin()     { a.state, a.switches, a.broadcasts = hotswap.State{}, 0, 0 }
func (a *audit) CaughtUp()  { a.stop() }
func (a *audit) Lost(error) {}

func (a *audit) Entry(p hotswap.Position, e hotswap.AdapterSwitchEvent) {
	var verdict hotswap.Verdict
	a.state, verdict = hotswap.Fold(a.state, p, e)
	if verdict == hotswap.Accepted {
		a.switches++
	}
	if e.Kind == hotswap.KindSwitch || e.Kind == hotswap.KindVote {
		a.broadcasts++
	}
}
