package narrator

import (
	"fmt"
	"log/slog"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/hotswap"
	"github.com/adapter-hotswap/adapter-hotswap-go/services/hotswap/walkthrough"
)

// bus tells what the log and the connection to it bring.
func (n *Narrator) bus(o hotswap.Observation) {
	switch o := o.(type) {
	case hotswap.Replayed:
		n.replayed(o.State)
	case hotswap.BusAway:
		n.started = true
		n.info(walkthrough.StartedAlone(n.adapter), "waited", o.Waited)
	case hotswap.BusLost:
		n.write(n.onceStarted(), walkthrough.BusLost(), []any{"error", o.Err})
	case hotswap.BusRegained:
		n.write(n.onceStarted(), walkthrough.BusConnected(), []any{"in_force", o.State.Adapter, "in_force_position", o.State.Position})
	case hotswap.Confirmed:
		n.position = o.Position
		n.debug("decision confirmed by the log", "event", o.Event.ID, "latency", o.Latency)
	case hotswap.Voided:
		n.debug("decision void: "+o.Verdict.String(), "event", o.Event.ID)
	case hotswap.Ignored:
		n.ignored(o)
	case hotswap.Voted:
		n.debug(fmt.Sprintf("vote %d of %d", o.Votes, o.Quorum), "target", o.Event.Target, "origin", o.Event.Origin)
	case hotswap.QuorumMismatch:
		n.write(slog.LevelWarn, fmt.Sprintf("QUORUM: %s decides by %d, this instance by %d", o.Origin, o.Theirs, o.Ours), nil)
	case hotswap.ProbeFailed:
		n.debug("probe failed", "probed", o.Adapter, "error", o.Err, "canary", o.Canary)
	case hotswap.PublishFailed:
		n.debug("publish failed, trying again", "error", o.Err)
	case hotswap.Abandoned:
		n.debug("call left behind", "ignored_by", o.Adapter, "running", o.Running)
	}
}

// onceStarted is the level of what is no news while an instance is starting:
// attempts to reach the bus, before it is told that there is none.
func (n *Narrator) onceStarted() slog.Level {
	if n.started {
		return slog.LevelInfo
	}
	return slog.LevelDebug
}

func (n *Narrator) replayed(s hotswap.State) {
	n.started = true
	n.position = s.Position
	if s.Adapter == "" {
		n.info(walkthrough.ReplayedNothing(n.adapter))
		return
	}
	n.info(walkthrough.Replayed(n.adapter), "reason", s.Reason, "origin", s.Origin)
}

func (n *Narrator) ignored(o hotswap.Ignored) {
	if o.Unknown {
		n.write(slog.LevelWarn, fmt.Sprintf("IGNORED: Unknown adapter %q", o.Event.Target),
			[]any{"origin", o.Event.Origin, "entry_position", o.Position})
		return
	}
	n.debug("entry ignored: "+o.Verdict.String(), "target", o.Event.Target, "origin", o.Event.Origin, "entry_position", o.Position)
}
