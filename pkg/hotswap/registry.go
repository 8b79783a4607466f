package hotswap

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
)

// Errors of the set-up and of manual switches.
var (
	// ErrUnknownAdapter is matched when a name is none of the registry's.
	ErrUnknownAdapter = errors.New("unknown adapter")
	// ErrAdapters is matched when a set of adapters cannot work.
	ErrAdapters = errors.New("invalid adapters")
)

// Adapter is one way to serve a port.
type Adapter[P any] struct {
	// Name identifies the adapter in the log. All instances of a service use the
	// same names.
	Name string
	// Port is the adapter itself. It is called by many goroutines at a time, and
	// is expected to return soon after its context ends.
	Port P
	// Probe asks whether the adapter responds: a nil error says that it does. It
	// is used while a less preferred adapter is active. An adapter without a Probe
	// is never gone back to automatically.
	Probe func(context.Context) error
}

// Registry holds the adapters of one port, preferred first, and which of them is
// active (article, "The Adapter Registry"). Reading the active adapter is one
// atomic load. It is safe for concurrent use; its adapters never change.
type Registry[P any] struct {
	adapters []Adapter[P]
	active   atomic.Pointer[activation[P]]
}

// NewRegistry makes a registry in which the first adapter is active. It needs
// two adapters or more, up to 64, each with a port and a name of its own;
// otherwise the error matches ErrAdapters.
func NewRegistry[P any](adapters ...Adapter[P]) (*Registry[P], error) {
	if err := checkAdapters(adapters); err != nil {
		return nil, err
	}
	r := &Registry[P]{adapters: slices.Clone(adapters)}
	r.active.Store(&activation[P]{adapter: &r.adapters[0], epoch: 1})
	return r, nil
}

func checkAdapters[P any](adapters []Adapter[P]) error {
	if n := len(adapters); n < 2 || n > maxAdapters {
		return fmt.Errorf("%w: %d given, want 2 to %d", ErrAdapters, n, maxAdapters)
	}
	seen := make(map[string]bool)
	for i, a := range adapters {
		switch {
		case a.Name == "":
			return fmt.Errorf("%w: number %d has no name", ErrAdapters, i+1)
		case any(a.Port) == nil:
			return fmt.Errorf("%w: %q has no port", ErrAdapters, a.Name)
		case seen[a.Name]:
			return fmt.Errorf("%w: two are named %q", ErrAdapters, a.Name)
		}
		seen[a.Name] = true
	}
	return nil
}

// Active returns the active adapter's port.
func (r *Registry[P]) Active() P { return r.active.Load().adapter.Port }

// ActiveName returns the active adapter's name.
func (r *Registry[P]) ActiveName() string { return r.active.Load().adapter.Name }

// Epoch counts activations: it starts at 1 and grows by one with every swap.
func (r *Registry[P]) Epoch() uint64 { return r.active.Load().epoch }

// Names lists the adapters, preferred first.
func (r *Registry[P]) Names() []string {
	names := make([]string, len(r.adapters))
	for i, a := range r.adapters {
		names[i] = a.Name
	}
	return names
}

// index returns where name stands in the list, or -1.
func (r *Registry[P]) index(name string) int {
	return slices.IndexFunc(r.adapters, func(a Adapter[P]) bool { return a.Name == name })
}

// swap makes the adapter at index active and ends the activation before. Calls
// that may be rescued are cancelled. mark runs between the two activations: what
// it tells stands after everything that was told of the old one and before
// anything of the new one. Swaps are serialized by the caller.
func (r *Registry[P]) swap(index int, mark func(epoch uint64)) {
	old := r.active.Load()
	next := &activation[P]{adapter: &r.adapters[index], index: index, epoch: old.epoch + 1}
	cancels := old.end(next, func() {
		r.active.Store(next)
		mark(next.epoch)
	})
	for _, cancel := range cancels {
		cancel()
	}
}
