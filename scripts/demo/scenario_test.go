package main

import (
	"bytes"
	"strings"
	"testing"
)

func TestScenarioFlag(t *testing.T) {
	for name, test := range map[string]struct {
		options options
		code    int
		stdout  string
		stderr  string
	}{
		"list":       {options{scenario: "list"}, 0, "quorum ", ""},
		"unknown":    {options{scenario: "quorom"}, 2, "", `unknown scenario "quorom"`},
		"bad broker": {options{scenario: "pin", amqp: "amqp://127.0.0.1:1/"}, 1, "PIN", "broker"},
	} {
		t.Run(name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			if code := playScenario(t.Context(), test.options, &stdout, &stderr); code != test.code {
				t.Errorf("exit code %d, want %d", code, test.code)
			}
			if !strings.Contains(stdout.String(), test.stdout) || !strings.Contains(stderr.String(), test.stderr) {
				t.Errorf("got %q and %q, want %q and %q", stdout.String(), stderr.String(), test.stdout, test.stderr)
			}
			if strings.Count(stderr.String(), "\n") > 1 {
				t.Errorf("more than one line: %q", stderr.String())
			}
		})
	}
}
