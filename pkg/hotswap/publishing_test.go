package hotswap_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/hotswap"
	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/membus"
)

// A bus that refuses is asked again, ever less often, and hears of the decision in
// the end. The instance has long moved.
func TestARefusedPublishIsTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t, 2, hotswap.Settings{ProbeInterval: time.Hour})
		m := c.members[0]
		m.conn.LoseConfirms(true)
		c.leave(t)
		time.Sleep(time.Minute)
		if n := len(observed[hotswap.PublishFailed](m.seen)); n != 1 {
			t.Errorf("%d failed publishes, want 1: the event came back", n)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		bus := &unwilling{Bus: membus.New().Connect()}
		primary := newUpstream(fails(err500))
		in, err := hotswap.New[animal](bus, hotswap.Settings{ProbeInterval: time.Hour},
			hotswap.Adapter[animal]{Name: "primary", Port: primary},
			hotswap.Adapter[animal]{Name: "fallback", Port: newUpstream(answers("Chat"))})
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		<-in.Ready()
		if _, err := hotswap.Call(t.Context(), in, hotswap.Repeatable, ask); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		at := bus.asked.since()
		if len(at) < 25 || len(at) > 50 {
			t.Errorf("%d publishes in a minute of refusals, want one every 1 to 3 s", len(at))
		}
		bus.willing.Store(true)
		time.Sleep(4 * time.Second)
		if in.Status().Pending {
			t.Error("the decision has not come back")
		}
	})
}

// unwilling is a bus that reads and does not write.
type unwilling struct {
	hotswap.Bus
	asked   times
	willing atomic.Bool
}

func (b *unwilling) Publish(ctx context.Context, e hotswap.AdapterSwitchEvent) error {
	b.asked.note()
	if !b.willing.Load() {
		return hotswap.ErrUnavailable
	}
	return b.Bus.Publish(ctx, e)
}
