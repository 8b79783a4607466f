package live

import (
	"context"
	"encoding/json"
	"time"
)

// Gossip is the port over which instances tell each other what the page shows.
// It is not the log: nothing is kept, confirmed or ordered, and a message
// reaches whoever listens at that moment, the sender included. Implementations
// are safe for concurrent use.
type Gossip interface {
	// Tell sends a message. It does not wait for a bus that is away.
	Tell(ctx context.Context, topic string, message []byte) error
	// Hear calls f with each message of topic, one at a time, until ctx ends; it
	// keeps itself connected. f must return soon.
	Hear(ctx context.Context, topic string, f func(message []byte)) error
}

// Topics of the gossip. Every instance hears the first one; the second only
// while somebody reads its page.
const (
	topicWatch  = "watch"
	topicReport = "report"
)

// Times of the gossip.
const (
	// A watcher announces itself this often, and is forgotten after a while.
	beaconEvery  = 2 * time.Second
	beaconExpiry = 5 * time.Second
	// A watched instance reports when there is news, yet not more often than
	// this, and in any case this often.
	reportGap   = 400 * time.Millisecond
	reportEvery = 2 * time.Second
	// News that should not wait is sent after this.
	urgentGap = 50 * time.Millisecond
	// repeatApplied is how long a switch is repeated in reports, so that a lost
	// message does no harm.
	repeatApplied = 5 * time.Second
)

// call is a message to all instances: somebody watches, or an order.
type call struct {
	From  string `json:"from"`
	Order *Order `json:"order,omitempty"`
}

// Order takes an instance off the bus, or lets it back.
type Order struct {
	// Instance is the name for people; "" means all.
	Instance string `json:"instance"`
	Cut      bool   `json:"cut"`
	// For is how long, in milliseconds. It is always bounded.
	For int64 `json:"for,omitempty"`
}

func (o Order) duration() time.Duration {
	return min(time.Duration(o.For)*time.Millisecond, MaxCut)
}

// MaxCut bounds how long an instance is kept off the bus, so that a forgotten
// cut ends by itself.
const MaxCut = 10 * time.Minute

func parseCall(message []byte) (c call, ok bool) {
	if len(message) > maxReport || json.Unmarshal(message, &c) != nil || c.From == "" || len(c.From) > maxText {
		return call{}, false
	}
	return c, true
}
