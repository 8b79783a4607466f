// Command demo runs the whole system in one process, on loopback ports, with no
// Docker and no broker: the primary, the fallback and two hotswap instances,
// each put together by the function that its own binary uses. The bus is in
// memory, or a real broker with -amqp.
//
// It takes the settings of the services from the environment, such as
// HEALTHY_FOR, FAILING_FOR, TIMEOUT and POLL_INTERVAL.
//
// With -scenario it plays one of the article's limitations instead, without and
// with its cure; -scenario list names them.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/caarlos0/env/v11"
)

// options are the flags.
type options struct {
	instances int
	amqp      string
	scenario  string
}

const maxInstances = 100

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	os.Exit(execute(ctx, os.Args[1:], env.ToMap(os.Environ()), os.Stdout, os.Stderr))
}

func execute(ctx context.Context, args []string, environ map[string]string, stdout *os.File, stderr io.Writer) int {
	o, err := parse(args, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2
	}
	if o.scenario != "" {
		return playScenario(ctx, o, stdout, stderr)
	}
	s, err := newSystem(o, environ, stdout)
	if err != nil {
		fmt.Fprintln(stderr, err)
		return 2
	}
	if err := s.run(ctx); err != nil {
		fmt.Fprintln(stderr, err)
		return 1
	}
	return 0
}

// parse says on stderr what is wrong with args, as the flag package does.
func parse(args []string, stderr io.Writer) (options, error) {
	var o options
	flags := flag.NewFlagSet("demo", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.IntVar(&o.instances, "instances", 2, "hotswap instances to run, 1 to 100")
	flags.StringVar(&o.amqp, "amqp", "", "use the broker at this amqp:// URL instead of the bus in memory")
	flags.StringVar(&o.scenario, "scenario", "", "play this scenario, \"all\" of them, or \"list\" them")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	err := o.validate(flags.Args())
	if err != nil {
		fmt.Fprintln(stderr, err)
	}
	return o, err
}

func (o options) validate(rest []string) error {
	switch {
	case len(rest) > 0:
		return fmt.Errorf("unknown argument %q: the demo takes flags only, see -help", rest[0])
	case o.instances < 1 || o.instances > maxInstances:
		return fmt.Errorf("-instances %d: must be from 1 to %d", o.instances, maxInstances)
	}
	return nil
}
