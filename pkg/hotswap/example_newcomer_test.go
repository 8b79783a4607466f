package hotswap_test

import (
	"context"
	"fmt"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/hotswap"
	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/membus"
)

type Rates interface {
	EUR(context.Context) (float64, error)
}

type Bank struct{}

func (Bank) EUR(context.Context) (float64, error) {
	return 0, context.DeadlineExceeded // it is Sunday
}

type Yesterday float64

func (y Yesterday) EUR(context.Context) (float64, error) { return float64(y), nil }

// A whole program: a port of its own, two adapters, guarded.
func Example_program() {
	in, err := hotswap.New(membus.New().Connect(), hotswap.Settings{},
		hotswap.Adapter[Rates]{Name: "bank", Port: Bank{}},
		hotswap.Adapter[Rates]{Name: "yesterday", Port: Yesterday(0.92)})
	if err != nil {
		panic(err)
	}
	defer in.Close()
	rate, err := hotswap.Call(context.Background(), in, hotswap.Repeatable,
		func(ctx context.Context, r Rates) (float64, error) { return r.EUR(ctx) })
	fmt.Println(rate, err, in.Registry().ActiveName())
	// Output: 0.92 <nil> yesterday
}
