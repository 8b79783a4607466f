package animal

import (
	"context"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/hotswap"
)

// AnimalService answers from whichever adapter is active (article, "Timeout
// detection + broadcast"). It is what driving adapters call, and is safe for
// concurrent use.
type AnimalService struct {
	instance *hotswap.Instance[AnimalPort]
}

// NewAnimalService makes the service of one instance of the cluster.
func NewAnimalService(instance *hotswap.Instance[AnimalPort]) *AnimalService {
	return &AnimalService{instance: instance}
}

// Animal names an animal. Asking twice does no harm, so a call that is in flight
// when the adapter is replaced is rescued. The error is a *hotswap.FailedError
// when no adapter answered, and ctx's when the caller gave up.
func (s *AnimalService) Animal(ctx context.Context) (string, error) {
	return hotswap.Call(ctx, s.instance, hotswap.Repeatable, Ask)
}

// Ask is the one operation of this service: a question to one adapter.
func Ask(ctx context.Context, port AnimalPort) (string, error) { return port.Animal(ctx) }
