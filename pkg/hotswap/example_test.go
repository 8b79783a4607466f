package hotswap_test

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/hotswap"
	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/membus"
)

// Greeter is a port: what a service needs, in its own words.
type Greeter interface {
	Greet(ctx context.Context, name string) (string, error)
}

// Remote and Local are two adapters for it.
type (
	Remote struct{ down bool }
	Local  struct{ greeting string }
)

func (r *Remote) Greet(_ context.Context, name string) (string, error) {
	if r.down {
		return "", hotswap.Failure("error (HTTP 503)", errors.New("the greeter is out"))
	}
	return "Welcome back, " + name + "!", nil
}

func (r *Remote) Health(context.Context) error {
	if r.down {
		return errors.New("still out")
	}
	return nil
}

func (l Local) Greet(_ context.Context, name string) (string, error) {
	return l.greeting + ", " + name + ".", nil
}

// The first use: guard a port with two adapters. The membus stands in for a
// broker; package rabbitmq has the Bus for a real one.
func Example() {
	remote := new(Remote)
	in, err := hotswap.New(membus.New().Connect(), hotswap.Settings{},
		hotswap.Adapter[Greeter]{Name: "remote", Port: remote, Probe: remote.Health},
		hotswap.Adapter[Greeter]{Name: "local", Port: Local{"Hello"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer in.Close()
	<-in.Ready()

	greet := func(name string) {
		greeting, err := hotswap.Call(context.Background(), in, hotswap.Repeatable,
			func(ctx context.Context, g Greeter) (string, error) { return g.Greet(ctx, name) })
		fmt.Println(greeting, err)
	}
	greet("Ada")
	remote.down = true
	greet("Bob") // fails on remote, is answered by local, and switches
	greet("Cleo")
	// Output:
	// Welcome back, Ada! <nil>
	// Hello, Bob. <nil>
	// Hello, Cleo. <nil>
}

// A classifier of one's own: here, an adapter that is told to slow down has
// failed, and everything else is as usual.
func ExampleSettings_classify() {
	errTooMany := errors.New("429 too many requests")
	settings := hotswap.Settings{Classify: func(err error) bool {
		return errors.Is(err, errTooMany) || hotswap.IsFailure(err)
	}}
	in, err := hotswap.New(membus.New().Connect(), settings,
		hotswap.Adapter[string]{Name: "primary", Port: "busy"},
		hotswap.Adapter[string]{Name: "fallback", Port: "idle"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer in.Close()

	answer, err := hotswap.Call(context.Background(), in, hotswap.Repeatable,
		func(_ context.Context, port string) (string, error) {
			if port == "busy" {
				return "", errTooMany
			}
			return "answered by " + port, nil
		})
	fmt.Println(answer, err, in.Registry().ActiveName())
	// Output: answered by idle <nil> fallback
}

// Three adapters, preferred first. A call goes through them until one answers;
// when none does, the error names each.
func ExampleCall_threeAdapters() {
	broken := map[string]bool{"here": true, "there": true}
	ask := func(_ context.Context, place string) (string, error) {
		if broken[place] {
			return "", hotswap.Failure("out of order", errors.New("no answer from "+place))
		}
		return "answered from " + place, nil
	}
	in, err := hotswap.New(membus.New().Connect(), hotswap.Settings{},
		hotswap.Adapter[string]{Name: "first", Port: "here"},
		hotswap.Adapter[string]{Name: "second", Port: "there"},
		hotswap.Adapter[string]{Name: "third", Port: "elsewhere"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer in.Close()

	fmt.Println(hotswap.Call(context.Background(), in, hotswap.Repeatable, ask))
	broken["elsewhere"] = true
	_, err = hotswap.Call(context.Background(), in, hotswap.Repeatable, ask)
	fmt.Println(errors.Is(err, hotswap.ErrAllFailed))
	fmt.Println(strings.ReplaceAll(err.Error(), "; ", "\n"))
	// Output:
	// answered from elsewhere <nil>
	// true
	// every adapter failed: third: out of order: no answer from elsewhere
	// first: out of order: no answer from here
	// second: out of order: no answer from there
}

// An observer prints what happens. It runs in a goroutine of its own, and Close
// waits until it has been told everything.
func ExampleObserver() {
	tell := hotswap.ObserverFunc(func(o hotswap.Observation) {
		switch o := o.(type) {
		case hotswap.Failed:
			fmt.Printf("%s failed: %s\n", o.Adapter, hotswap.Reason(o.Err))
		case hotswap.Switched:
			fmt.Printf("from %s to %s, because of a %s: %s\n", o.From, o.To, o.Cause, o.Reason)
		case hotswap.Answered:
			fmt.Printf("%s answered %v\n", o.Adapter, o.Result)
		}
	})
	in, err := hotswap.New(membus.New().Connect(), hotswap.Settings{Observers: []hotswap.Observer{tell}},
		hotswap.Adapter[Greeter]{Name: "remote", Port: &Remote{down: true}},
		hotswap.Adapter[Greeter]{Name: "local", Port: Local{"Hello"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, _ = hotswap.Call(context.Background(), in, hotswap.Repeatable,
		func(ctx context.Context, g Greeter) (string, error) { return g.Greet(ctx, "Ada") })
	_ = in.Close()
	// Output:
	// remote failed: error (HTTP 503)
	// from remote to local, because of a failure: error (HTTP 503)
	// local answered Hello, Ada.
}
