package rabbitmq

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/hotswap"
)

// wireTypes are the names of the kinds in a message's "type". Spring Cloud Bus
// uses simple class names. The article's service knows only the first; the others
// are unknown to it, and it ignores them.
var wireTypes = map[hotswap.Kind]string{
	hotswap.KindSwitch:   "AdapterSwitchEvent",
	hotswap.KindVote:     "AdapterSwitchVote",
	hotswap.KindWithdraw: "AdapterSwitchVoteWithdrawn",
	hotswap.KindClaim:    "AdapterProbeClaim",
}

// wireKinds is wireTypes the other way round.
var wireKinds = func() map[string]hotswap.Kind {
	kinds := make(map[string]hotswap.Kind, len(wireTypes))
	for kind, name := range wireTypes {
		kinds[name] = kind
	}
	return kinds
}()

// needsTarget reports whether an event of this kind is meaningless without one.
func needsTarget(kind hotswap.Kind) bool {
	return kind == hotswap.KindSwitch || kind == hotswap.KindVote
}

// message is the JSON body. Up to TargetAdapter it is what a Spring Cloud Bus
// peer of the article's service sends and reads; that peer ignores the rest.
type message struct {
	Type        string `json:"type"`
	Timestamp   int64  `json:"timestamp"`
	Origin      string `json:"originService"`
	Destination string `json:"destinationService"`
	ID          string `json:"id"`
	Target      string `json:"targetAdapter,omitempty"`

	After    *uint64 `json:"after,omitempty"`
	Reason   string  `json:"reason,omitempty"`
	Manual   bool    `json:"manual,omitempty"`
	Pinned   bool    `json:"pinned,omitempty"`
	Quorum   int     `json:"quorum,omitempty"`
	WindowMS int64   `json:"windowMs,omitempty"`
	RampMS   int64   `json:"rampMs,omitempty"`
}

// encode makes the body for event. It refuses what decode would not take, so
// that no instance ever sends a message that the others drop.
func encode(event hotswap.AdapterSwitchEvent) ([]byte, error) {
	m := message{
		Type:        wireTypes[event.Kind],
		Timestamp:   wireTime(event.Time),
		Origin:      event.Origin,
		Destination: everybody,
		ID:          event.ID,
		Target:      event.Target,
		After:       (*uint64)(event.After),
		Reason:      event.Reason,
		Manual:      event.Manual,
		Pinned:      event.Pinned,
		Quorum:      event.Quorum,
		WindowMS:    event.Window.Milliseconds(),
		RampMS:      event.Ramp.Milliseconds(),
	}
	if m.Type == "" {
		return nil, fmt.Errorf("event of unknown kind %d", event.Kind)
	}
	if err := m.check(event.Kind); err != nil {
		return nil, fmt.Errorf("event %q: %w", event.ID, err)
	}
	return json.Marshal(m)
}

// event is encode the other way round, for a message that was checked.
func (m message) event(kind hotswap.Kind) hotswap.AdapterSwitchEvent {
	return hotswap.AdapterSwitchEvent{
		ID:     m.ID,
		Origin: m.Origin,
		Kind:   kind,
		Target: m.Target,
		Time:   eventTime(m.Timestamp),
		After:  (*hotswap.Position)(m.After),
		Reason: m.Reason,
		Manual: m.Manual,
		Pinned: m.Pinned,
		Quorum: m.Quorum,
		Window: time.Duration(m.WindowMS) * time.Millisecond,
		Ramp:   time.Duration(m.RampMS) * time.Millisecond,
	}
}

// wireTime and eventTime let 0 stand for the zero time, as in an event without a
// timestamp.
func wireTime(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

func eventTime(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms)
}
