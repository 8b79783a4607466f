package main

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/circuitbreaker"
	"github.com/failsafe-go/failsafe-go/fallback"
	failtimeout "github.com/failsafe-go/failsafe-go/timeout"
	"github.com/sony/gobreaker/v2"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/hotswap"
	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/membus"
)

// contender is one way to do what its section names. make sets it up and returns
// the operation that is measured, and what ends it.
type contender struct {
	name string
	make func() (op, stop func())
}

// section is a table of contenders for the same thing.
type section struct {
	name       string
	times      int // one operation stands for so many
	contenders []contender
}

const timeout = 3 * time.Second

// reads is how often one operation of the first section reads: what takes so
// little is measured many at a time.
const reads = 100

// Names that targets refer to.
const (
	bare     = "context.WithTimeout alone"
	active   = "hotswap: Active"
	guarded  = "hotswap: Call, rescue armed"
	unarmed  = "hotswap: Call at most once"
	policies = "failsafe-go: fallback + breaker + timeout"
)

var sections = []section{
	{"reading the active adapter", reads, []contender{
		{"atomic.Pointer and a call", pointer},
		{active, activeAdapter},
	}},
	{"a guarded call that succeeds", 1, []contender{
		{bare, bareTimeout},
		{guarded, func() (op, stop func()) { return call(hotswap.Repeatable, false) }},
		{unarmed, func() (op, stop func()) { return call(hotswap.AtMostOnce, false) }},
		{"gobreaker and context.WithTimeout", func() (op, stop func()) { return breaker(false) }},
		{"failsafe-go: timeout", failsafeTimeout},
		{policies, func() (op, stop func()) { return failsafePolicies(false) }},
	}},
	{"a guarded call while the primary is down", 1, []contender{
		{bare, bareTimeout},
		{guarded, func() (op, stop func()) { return call(hotswap.Repeatable, true) }},
		{"gobreaker open, fallback by hand, context.WithTimeout", func() (op, stop func()) { return breaker(true) }},
		{policies, func() (op, stop func()) { return failsafePolicies(true) }},
	}},
	{"a swap, which tells the bus", 1, []contender{
		{"hotswap: Switch", swap},
	}},
}

// port is what every contender calls: an adapter that costs nothing.
type port interface {
	ask(context.Context) (string, error)
}

type answers string

func (a answers) ask(context.Context) (string, error) { return string(a), nil }

var (
	primary, substitute port = answers("Chien"), answers("Chat")
	errDown                  = errors.New("down")
)

func ask(ctx context.Context, p port) (string, error) { return p.ask(ctx) }

func nothing() {}

func pointer() (op, stop func()) {
	var p atomic.Pointer[port]
	p.Store(&primary)
	return func() {
		for range reads {
			_, _ = (*p.Load()).ask(context.Background())
		}
	}, nothing
}

func activeAdapter() (op, stop func()) {
	in := instance()
	r := in.Registry()
	return func() {
		for range reads {
			_, _ = r.Active().ask(context.Background())
		}
	}, func() { _ = in.Close() }
}

func bareTimeout() (op, stop func()) {
	return func() {
		ctx, cancel := context.WithTimeout(context.Background(), timeout)
		defer cancel()
		_, _ = primary.ask(ctx)
	}, nothing
}

func instance() *hotswap.Instance[port] {
	in, err := hotswap.New(membus.New().Connect(), hotswap.Settings{Timeout: timeout},
		hotswap.Adapter[port]{Name: "primary", Port: primary},
		hotswap.Adapter[port]{Name: "fallback", Port: substitute})
	if err != nil {
		panic(err)
	}
	<-in.Ready()
	return in
}

func call(mode hotswap.Mode, down bool) (op, stop func()) {
	in := instance()
	if down {
		if err := in.Switch("fallback", false); err != nil {
			panic(err)
		}
	}
	return func() { _, _ = hotswap.Call(context.Background(), in, mode, ask) }, func() { _ = in.Close() }
}

func swap() (op, stop func()) {
	in := instance()
	var n atomic.Int64
	return func() {
		_ = in.Switch([...]string{"fallback", "primary"}[n.Add(1)%2], false)
	}, func() { _ = in.Close() }
}

func breaker(down bool) (op, stop func()) {
	cb := gobreaker.NewCircuitBreaker[string](gobreaker.Settings{
		Timeout:     time.Hour,
		ReadyToTrip: func(c gobreaker.Counts) bool { return c.ConsecutiveFailures > 0 },
	})
	if down {
		_, _ = cb.Execute(func() (string, error) { return "", errDown })
	}
	return func() {
		ctx, cancel := context.WithTimeout(context.Background(), timeout)
		defer cancel()
		if _, err := cb.Execute(func() (string, error) { return primary.ask(ctx) }); err != nil {
			_, _ = substitute.ask(ctx)
		}
	}, nothing
}

func failsafeTimeout() (op, stop func()) {
	executor := failsafe.With(failtimeout.New[string](timeout))
	return get(executor), nothing
}

func failsafePolicies(down bool) (op, stop func()) {
	cb := circuitbreaker.NewBuilder[string]().WithDelay(time.Hour).Build()
	if down {
		cb.Open()
	}
	back := fallback.NewWithFunc(func(e failsafe.Execution[string]) (string, error) { return substitute.ask(e.Context()) })
	return get(failsafe.With(back, cb, failtimeout.New[string](timeout))), nothing
}

func get(executor failsafe.Executor[string]) func() {
	return func() {
		_, _ = executor.GetWithExecution(func(e failsafe.Execution[string]) (string, error) { return primary.ask(e.Context()) })
	}
}
