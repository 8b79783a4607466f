package service

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/caarlos0/env/v11"
)

// Exit codes of Main.
const (
	exitOK       = 0
	exitFailed   = 1
	exitRejected = 2
)

const usage = `without arguments, "healthcheck [PATH]", or "help"`

// Main is the whole of a service's func main. It loads the settings S from the
// environment and calls run with a context that ends at SIGINT or SIGTERM; a
// second signal ends the process at once.
//
// The process exits with 0 when run returns nil or the error of its ended
// context, with 2 after bad settings or arguments, with 1 after any other
// error. Each error is one line on the standard error.
//
// Two subcommands need no shell in the image: "healthcheck [PATH]" asks this
// service's own PATH (/livez) on PORT, and "help" prints the settings.
func Main[S any](run func(ctx context.Context, settings S, stdout io.Writer) error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	environ := env.ToMap(os.Environ())
	os.Exit(execute(ctx, os.Args[1:], environ, os.Stdout, os.Stderr, run))
}

func execute[S any](
	ctx context.Context, args []string, environ map[string]string, stdout, stderr io.Writer,
	run func(context.Context, S, io.Writer) error,
) int {
	err := dispatch(ctx, args, environ, stdout, run)
	if err == nil || ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return exitOK
	}
	fmt.Fprintln(stderr, oneLine(err.Error()))
	if _, rejected := errors.AsType[*SettingsError](err); rejected || errors.Is(err, errArguments) {
		return exitRejected
	}
	return exitFailed
}

var errArguments = errors.New("bad arguments")

func dispatch[S any](
	ctx context.Context, args []string, environ map[string]string, stdout io.Writer,
	run func(context.Context, S, io.Writer) error,
) error {
	switch {
	case len(args) == 0:
		settings, err := Load[S](environ)
		if err != nil {
			return err
		}
		return run(ctx, settings, stdout)
	case args[0] == "healthcheck" && len(args) <= 2:
		return healthcheck[S](ctx, environ, args[1:])
	case len(args) == 1 && strings.TrimLeft(args[0], "-") == "help", len(args) == 1 && args[0] == "-h":
		return help[S](stdout)
	}
	return fmt.Errorf("%w %q: must be run %s", errArguments, args, usage)
}

func help[S any](stdout io.Writer) error {
	fmt.Fprintf(stdout, "Run %s. Settings are environment variables:\n", usage)
	for _, s := range Settings[S]() {
		fmt.Fprintf(stdout, "  %s=%s\n\t%s (%s)\n", s.Name, s.Default, s.Help, s.Rule)
	}
	return nil
}
