// Checklog reads a log of the demo and says whether it tells the story of the
// walkthrough, and if not, which cycle and which line broke which rule.
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

	"github.com/adapter-hotswap/adapter-hotswap-go/scripts/checklog/contract"
)

// Exit codes.
const (
	exitPassed = 0
	exitBroken = 1 // a line broke a rule
	exitUsage  = 2 // wrong arguments, or the log could not be opened or read
	exitShort  = 3 // no rule was broken, but the log ended too early
)

const usage = `Usage: checklog [options] [FILE]
       checklog [options] -compose [-- COMPOSE OPTION...]

Checks a log of the demo against the walkthrough in the README. Reads FILE or, with
none, the standard input:

  go run ./scripts/demo | go run ./scripts/checklog -cycles 3
  go run ./scripts/checklog -compose -cycles 3
  docker-compose logs --tail=0 -f | go run ./scripts/checklog -cycles 3

The past, which compose prints one container after the other, is checked best in the
order in which it happened:

  docker-compose logs --no-color -t | sort -s -t '|' -k 2 | go run ./scripts/checklog

Exits with 0 if the log passes, 1 if a line breaks a rule, 2 if the arguments are
wrong or the log cannot be read, 3 if the log ends before enough cycles have passed
("go run" turns all but 0 into 1).

Options:
`

// settings are the arguments of the command.
type settings struct {
	contract.Options
	compose bool
	sample  bool
	rest    []string
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	s, err := parse(args, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return exitPassed
	case err != nil:
		return exitUsage
	case s.sample:
		fmt.Fprint(stdout, contract.Sample())
		return exitPassed
	}
	log, err := open(ctx, s, stdin, stderr)
	if err != nil {
		fmt.Fprintln(stderr, "checklog:", err)
		return exitUsage
	}
	defer log.Close()
	s.OnCycle = func(c *contract.Cycle) { fmt.Fprintln(stdout, c) }
	return verdict(ctx, log, s.Options, stdout, stderr)
}

func parse(args []string, stderr io.Writer) (settings, error) {
	var s settings
	flags := flag.NewFlagSet("checklog", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {
		fmt.Fprint(stderr, usage)
		flags.PrintDefaults()
	}
	flags.IntVar(&s.Cycles, "cycles", 0, "end as soon as `N` whole cycles came in a row; 0 reads to the end of the log, which must show one")
	flags.IntVar(&s.Instances, "instances", 2, "at least `N` instances must take part (a log without prefixes is of one)")
	flags.IntVar(&s.MaxTimeouts, "max-timeouts", 0, "at most `N` instances may meet the failure in one outage; 0 is any number")
	flags.StringVar(&s.Service, "service", "hotswap", "the `service` whose lines count; its instances may be services of compose, as in hotswap-1")
	flags.BoolVar(&s.compose, "compose", false, "follow the running compose project from now on; what comes after -- goes to compose, as in -compose -- -p NAME")
	flags.BoolVar(&s.sample, "print-sample", false, "print the log of one cycle, as the README shows it, and exit")
	if err := flags.Parse(args); err != nil {
		return s, err
	}
	s.rest = flags.Args()
	if err := s.validate(); err != nil {
		fmt.Fprintln(stderr, "checklog:", err)
		return s, err
	}
	return s, nil
}

func (s settings) validate() error {
	switch {
	case s.Cycles < 0:
		return fmt.Errorf("-cycles %d: must be 0 or more", s.Cycles)
	case s.Instances < 1:
		return fmt.Errorf("-instances %d: must be 1 or more", s.Instances)
	case s.MaxTimeouts < 0:
		return fmt.Errorf("-max-timeouts %d: must be 0 or more", s.MaxTimeouts)
	case s.Service == "":
		return errors.New(`-service "": must name a service`)
	case !s.compose && len(s.rest) > 1:
		return fmt.Errorf("%q: at most one FILE", s.rest)
	}
	return nil
}

// open finds the log that the settings ask for.
func open(ctx context.Context, s settings, stdin io.Reader, stderr io.Writer) (io.ReadCloser, error) {
	switch {
	case s.compose:
		return followCompose(ctx, s.rest, stderr)
	case len(s.rest) == 1 && s.rest[0] != "-":
		return os.Open(s.rest[0])
	default:
		return untilDone(ctx, stdin), nil
	}
}

func verdict(ctx context.Context, log io.Reader, opts contract.Options, stdout, stderr io.Writer) int {
	checker, err := contract.Check(log, opts)
	if ctx.Err() != nil { // Ctrl-C ends the log where it is
		err = checker.End()
	}
	var broken *contract.Violation
	switch {
	case err == nil:
		fmt.Fprintf(stdout, "ok: whole cycles: %d, instances: %d\n", checker.Whole(), checker.Instances())
		return exitPassed
	case errors.As(err, &broken):
		fmt.Fprintln(stderr, "broken:", err)
		return exitBroken
	case errors.Is(err, contract.ErrShort):
		fmt.Fprintln(stderr, "too short:", err)
		return exitShort
	default:
		fmt.Fprintln(stderr, "checklog:", err)
		return exitUsage
	}
}
