package rabbitmq_test

import (
	"context"
	"log/slog"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/hotswap"
	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/rabbitmq"
)

// An instance joins the cluster of its service over a broker of two nodes. It is
// no matter whether they are up: the bus connects when it can.
func Example() {
	id := rabbitmq.NewID("animals", "8081")
	bus, err := rabbitmq.New(rabbitmq.Settings{
		URLs:   []string{"amqp://animals:secret@rabbit-1/", "amqp://animals:secret@rabbit-2/"},
		ID:     id,
		Logger: slog.Default(),
	})
	if err != nil {
		panic(err)
	}
	defer bus.Close()

	type animalPort func(context.Context) (string, error)
	instance, err := hotswap.New[animalPort](bus, hotswap.Settings{ID: id},
		hotswap.Adapter[animalPort]{Name: "primary"},
		hotswap.Adapter[animalPort]{Name: "fallback"})
	if err != nil {
		panic(err)
	}
	defer instance.Close()
}
