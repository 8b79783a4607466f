// Package hotswap keeps the instances of a service on one adapter of a port, and
// moves them to another together.
//
// A service calls something through a port, and has two or more adapters for it:
// a preferred one and what to fall back to. The first instance whose call fails
// switches itself, at once, and tells the others through a log that all of them
// read. They switch before they meet the failure, calls in flight included. A
// health checker brings everybody back.
//
// # Adopting it
//
// Declare the port as the interface that your service needs, and write its
// adapters. An adapter is called by many goroutines at a time, and returns soon
// after its context ends.
//
//	type Port interface {
//		Ask(ctx context.Context) (string, error)
//	}
//
// Once per process, join the cluster. All instances use the same adapter names,
// in the same order:
//
//	in, err := hotswap.New(bus, hotswap.Settings{},
//		hotswap.Adapter[Port]{Name: "primary", Port: primary, Probe: primary.Health},
//		hotswap.Adapter[Port]{Name: "fallback", Port: fallback})
//	if err != nil {
//		return err // bad settings or adapters: the bus being away is no error
//	}
//	defer in.Close()
//	<-in.Ready() // on the cluster's adapter now, or alone if the bus is away
//
// The bus is membus.New().Connect() for a single process and for tests, and
// rabbitmq.New for instances that share a broker; both packages stand beside this
// one. Then guard each operation:
//
//	answer, err := hotswap.Call(ctx, in, hotswap.Repeatable,
//		func(ctx context.Context, p Port) (string, error) { return p.Ask(ctx) })
//
// The error is the operation's own when it is an answer, the caller's when the
// caller gave up, and otherwise a [FailedError] that names every adapter that
// failed; errors.Is and errors.As reach the causes.
//
// # Parts
//
// A [Registry] holds the adapters and which of them is active. [Call] guards an
// operation on the active adapter: a timeout, a decision when it fails, an answer
// from the next adapter. A [Bus] is the port to the log. A [HealthChecker] probes
// the preferred adapter while another is active. An [Instance] is all of these
// together, [Instance.Switch] is for operators, [Instance.Status] says where it
// stands, and an [Observer] is told what it does: logs and metrics are made there.
//
// # What counts as a failure
//
// The adapter says it best: [Failure] marks an error as a failure of the adapter,
// [Answer] marks one as an answer, such as a 404. What is not marked is a failure
// when it is a deadline or a connection error, and an answer otherwise.
// Settings.Classify replaces this. What comes after the timeout is a failure
// unless it is marked as an answer.
//
// A caller that gives up, or whose own deadline comes first, says nothing about
// the adapter. The price: an adapter that hangs is only noticed by callers that
// wait longer than Settings.Timeout.
//
// # What may be repeated
//
// Every call names its [Mode], which is a promise about the operation:
//
//	              cut short by a switch  again after a failure
//	Repeatable    yes: it is rescued     yes
//	AtLeastOnce   no                     yes, even if the first run took effect
//	AtMostOnce    no                     only if no connection was made
//
// Rescue is what makes one timeout per outage enough: a Repeatable call that is
// in flight when its adapter is replaced is cancelled and runs again on the new
// one. It counts as no failure.
//
// # What it does not do
//
// It does not stop an adapter that ignores its context: such a call takes as long
// as the adapter does, unless Settings.MaxAbandoned asks for a hard deadline, at
// the price that is told there. It does not retry on the same adapter, and it does
// not limit the load on any.
//
// # What the article leaves out
//
// The zero [Settings] are the article: the first failure switches everybody.
// Trip waits for several failures, Quorum for several instances; Canary, Ramp and
// HoldDown make the way back a careful one.
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
