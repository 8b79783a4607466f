package live

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"
)

// Source is an upstream that can be asked how it is. Its methods return soon
// after ctx ends.
type Source interface {
	// Health returns nil when the upstream says that it is UP.
	Health(ctx context.Context) error
	// Fault returns the fault in force, as the upstream's own API tells it. The
	// error says that it has no such API, or does not answer.
	Fault(ctx context.Context) (json.RawMessage, error)
}

// States of an upstream.
const (
	Up   = "up"
	Down = "down" // it answers, and says that it is not well
	Away = "away" // it does not answer
)

// ErrDown is matched by the error of a Source's Health when the upstream
// answered that it is not well.
var ErrDown = errors.New("down")

// Upstream is what an upstream says of itself. All but Name and State come from
// its fault API, and are empty where it has none.
type Upstream struct {
	Name  string `json:"name"`
	State string `json:"state"`
	// Mode is what it was told: "cycle", "healthy" or a fault. Fault is what its
	// callers meet now.
	Mode   string `json:"mode,omitempty"`
	Phase  string `json:"phase,omitempty"`
	Fault  string `json:"fault,omitempty"`
	Status int    `json:"status,omitempty"`
	Delay  string `json:"delay,omitempty"`
	// Left is how long this still lasts, in milliseconds; nil for no end.
	Left *int64 `json:"left,omitempty"`
}

// Bounds of the questions.
const (
	askEvery   = time.Second
	askTimeout = 900 * time.Millisecond
)

type named struct {
	name   string
	source Source
}

// ask asks all upstreams side by side.
func ask(ctx context.Context, all []named) []Upstream {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	answers := make([]Upstream, len(all))
	var asking sync.WaitGroup
	for i, n := range all {
		asking.Go(func() { answers[i] = n.ask(ctx) })
	}
	asking.Wait()
	return answers
}

func (n named) ask(ctx context.Context) Upstream {
	u := Upstream{Name: n.name, State: Up}
	var asking sync.WaitGroup
	asking.Go(func() { u.setState(n.source.Health(ctx)) })
	fault, err := n.source.Fault(ctx)
	asking.Wait()
	if err == nil {
		u.setFault(fault)
	}
	return u
}

func (u *Upstream) setState(err error) {
	switch {
	case errors.Is(err, ErrDown):
		u.State = Down
	case err != nil:
		u.State = Away
	}
}

func (u *Upstream) setFault(body json.RawMessage) {
	var f struct {
		Mode, Phase, Fault, Delay, Remaining string
		Status                               int
	}
	if json.Unmarshal(body, &f) != nil {
		return
	}
	u.Mode, u.Phase, u.Fault, u.Status, u.Delay = f.Mode, f.Phase, f.Fault, f.Status, f.Delay
	if left, err := time.ParseDuration(f.Remaining); err == nil {
		ms := left.Milliseconds()
		u.Left = &ms
	}
}
