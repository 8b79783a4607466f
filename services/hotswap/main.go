// Command hotswap is one instance of the animal service: the hexagon with all of
// its adapters, on RabbitMQ.
package main

import (
	"context"
	"io"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/service"
	"github.com/adapter-hotswap/adapter-hotswap-go/services/hotswap/composition"
)

func main() {
	service.Main(func(ctx context.Context, s composition.Settings, stdout io.Writer) error {
		return composition.Run(ctx, s, stdout, composition.RabbitMQ)
	})
}
