// Package animal is the inside of the hexagon: what the service is for, and the
// port through which it asks the outside. It knows no HTTP, no broker, no
// environment and no log format.
package animal

import "context"

// AnimalPort is the driven port: whatever can name an animal (article, "The
// Port"). It is declared here, by the side that needs it; its adapters are
// outside. Implementations are safe for concurrent use, return soon after ctx
// ends, and mark what is a failure of theirs with hotswap.Failure.
type AnimalPort interface {
	Animal(ctx context.Context) (string, error)
}
