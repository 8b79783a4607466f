// Package hotswap keeps the instances of a service on one adapter of a port, and
// moves them to another together.
//
// A service calls something through a port, and has two or more adapters for it:
// a preferred one and what to fall back to. The first instance whose call fails
// switches itself, at once, and tells the others through a log that all of them
// read. They switch before they meet the failure, calls in flight included. A
// health checker brings everybody back.
//
//	in, err := hotswap.New(bus, hotswap.Settings{},
//		hotswap.Adapter[Port]{Name: "primary", Port: primary, Probe: primary.Health},
//		hotswap.Adapter[Port]{Name: "fallback", Port: fallback})
//	...
//	defer in.Close()
//	answer, err := hotswap.Call(ctx, in, hotswap.Repeatable,
//		func(ctx context.Context, p Port) (string, error) { return p.Ask(ctx) })
//
// # Parts
//
// A [Registry] holds the adapters and which of them is active. [Call] guards an
// operation on the active adapter: a timeout, a decision when it fails, an answer
// from the next adapter. A [Bus] is the port to the log; package membus has one
// for a single process and for tests, package rabbitmq has one for RabbitMQ. A
// [HealthChecker] probes the preferred adapter while another is active. An
// [Instance] is all of these together, and an [Observer] is told what it does.
//
// # What counts as a failure
//
// The adapter says it best: [Failure] marks an error as a failure of the adapter,
// [Answer] marks one as an answer, such as a 404. What is not marked is a failure
// when it is a deadline or a connection error, and an answer otherwise.
// Settings.Classify replaces this. A caller that gives up, or whose own deadline
// comes first, says nothing about the adapter.
//
// # What may be repeated
//
// Every call names its [Mode]: whether the operation may be cut short and run
// again. Only Repeatable operations are rescued.
//
// # One log, one order
//
// The instances agree because they all fold the same log with the same function,
// [Fold]. An entry says which switch was in force when its author decided, and
// counts only if that is still so. Of ten instances that detect at once the first
// entry wins and nine are void, everywhere alike; and an instance that decided
// while it was cut off gives way to what the others decided meanwhile. A request
// never waits for the log.
package hotswap
