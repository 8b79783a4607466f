// Package narrator tells the story of an instance in its log, in the words of
// the walkthrough. It is an observer: it sees what happens and changes nothing.
package narrator

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/hotswap"
	"github.com/adapter-hotswap/adapter-hotswap-go/services/hotswap/walkthrough"
)

// Narrator writes each observation as one record. The message is the line of the
// walkthrough; the attributes say the rest for LOG_FORMAT text and json. What the
// article does not print is a debug record.
type Narrator struct {
	log      *slog.Logger
	adapter  string // active, as told so far
	position hotswap.Position
	started  bool // on which adapter has been told
}

// New makes the narrator of an instance that starts on adapter.
func New(log *slog.Logger, adapter string) *Narrator {
	return &Narrator{log: log, adapter: adapter}
}

// Observe implements hotswap.Observer.
func (n *Narrator) Observe(o hotswap.Observation) {
	switch o := o.(type) {
	case hotswap.Answered:
		n.answered(o)
	case hotswap.Failed:
		n.failed(o)
	case hotswap.Rescued:
		n.info(walkthrough.Rescued(o.From, o.To), "waited", o.Waited)
	case hotswap.Decided:
		n.decided(o)
	case hotswap.Received:
		n.position = o.Position
		n.info(walkthrough.Received(o.Event.Target), "reason", o.Event.Reason, "origin", o.Event.Origin, "latency", o.Latency)
	case hotswap.Switched:
		n.switched(o)
	default:
		n.bus(o)
	}
}

func (n *Narrator) answered(o hotswap.Answered) {
	attributes := []any{"answered_by", o.Adapter, "latency", o.Took, "rescued", o.Rescued}
	switch {
	case o.Err != nil:
		n.info("NO ANIMAL: "+o.Err.Error(), attributes...)
	case o.Late:
		n.info(walkthrough.LateResponse(fmt.Sprint(o.Result)), attributes...)
	case o.Aside:
		n.info(walkthrough.AsideResponse(fmt.Sprint(o.Result), o.Adapter), attributes...)
	default:
		n.info(walkthrough.Response(fmt.Sprint(o.Result)), attributes...)
	}
}

func (n *Narrator) failed(o hotswap.Failed) {
	n.debug("adapter failed", "failed", o.Adapter, "error", o.Err, "latency", o.Took,
		"in_row", o.InRow, "stale", o.Stale, "aside", o.Aside)
}

func (n *Narrator) decided(o hotswap.Decided) {
	attributes := []any{"cause", o.Cause.String(), "reason", o.Reason, "event", o.Event.ID}
	switch o.Cause {
	case hotswap.CauseRecovery:
		n.info(walkthrough.Recovered(o.Target), attributes...)
	case hotswap.CauseManual:
		n.info(manual(o), attributes...)
	case hotswap.CauseAlone:
		n.alone(o, attributes)
	default:
		n.info(walkthrough.Detected(o.From, o.Reason, o.Target), attributes...)
	}
}

// manual is what an operator did: a decision that moves nobody is about a pin.
func manual(o hotswap.Decided) string {
	switch {
	case o.From != o.Target:
		return walkthrough.Manual(o.Target)
	case o.Event.Pinned:
		return walkthrough.Pinned(o.Target)
	}
	return walkthrough.Released(o.Target)
}

func (n *Narrator) alone(o hotswap.Decided, attributes []any) {
	if o.Event.Kind == hotswap.KindWithdraw {
		n.info(walkthrough.Rejoining(o.Target), attributes...)
		return
	}
	n.info(walkthrough.Voting(o.From, o.Reason, o.Target), attributes...)
}

func (n *Narrator) switched(o hotswap.Switched) {
	n.adapter = o.To
	if o.Position > 0 {
		n.position = o.Position
	}
	if o.Cause == hotswap.CauseReplayed {
		return // told by Replayed, which follows
	}
	n.info(walkthrough.Switching(o.From, o.To), "epoch", o.Epoch, "cause", o.Cause.String(), "reason", o.Reason, "latency", o.Latency)
}

func (n *Narrator) info(message string, attributes ...any) {
	n.write(slog.LevelInfo, message, attributes)
}
func (n *Narrator) debug(message string, attributes ...any) {
	n.write(slog.LevelDebug, message, attributes)
}

func (n *Narrator) write(level slog.Level, message string, attributes []any) {
	for i, a := range attributes {
		if d, ok := a.(time.Duration); ok {
			attributes[i] = d.String()
		}
	}
	n.log.Log(context.Background(), level, message, append([]any{"adapter", n.adapter, "position", n.position}, attributes...)...)
}
