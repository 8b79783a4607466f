package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/adapter-hotswap/adapter-hotswap-go/scripts/demo/internal/scenario"
)

// playScenario plays what -scenario names, and returns the exit code.
func playScenario(ctx context.Context, o options, stdout, stderr io.Writer) int {
	if o.scenario == "list" {
		return exitCode(scenario.List(stdout), stderr)
	}
	return exitCode(scenario.Play(ctx, o.scenario, scenario.Options{Out: stdout, AMQP: o.amqp}), stderr)
}

func exitCode(err error, stderr io.Writer) int {
	if err == nil {
		return 0
	}
	fmt.Fprintln(stderr, err)
	if errors.Is(err, scenario.ErrUnknown) {
		return 2
	}
	return 1
}
