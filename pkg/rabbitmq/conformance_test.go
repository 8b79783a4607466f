package rabbitmq_test

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/bustest"
	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/rabbitmq"
	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/rabbitmq/brokertest"
)

func TestConformance(t *testing.T) {
	broker := brokertest.Start(t)
	bustest.Run(t, func(t testing.TB) bustest.Connect { return onFreshLog(broker) })
}

var logs atomic.Int64

// onFreshLog makes members on an exchange and a stream that no other test uses,
// each behind a proxy of its own.
func onFreshLog(broker brokertest.Broker) bustest.Connect {
	name := fmt.Sprintf("suite%d", logs.Add(1))
	return func(t testing.TB) bustest.Member {
		proxy := brokertest.NewProxy(t, broker.Port())
		bus, err := rabbitmq.New(rabbitmq.Settings{
			URLs:       []string{proxy.URL()},
			ID:         rabbitmq.NewID("suite", "0"),
			Exchange:   name + ".exchange",
			Stream:     name + ".log",
			BackoffMin: 20 * time.Millisecond,
			BackoffMax: 200 * time.Millisecond,
		})
		if err != nil {
			t.Fatal(err)
		}
		return bustest.Member{Bus: bus, Cut: proxy.Cut, Mend: proxy.Mend}
	}
}
