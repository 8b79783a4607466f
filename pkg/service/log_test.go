package service

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

func logged(format string) string {
	var out bytes.Buffer
	log := NewLogger(&out, format, "hotswap-1")
	log.Debug("hidden from the audience", "adapter", "primary")
	log.With("adapter", "primary").WithGroup("call").Info("Response: Chien", "latency", "3ms")
	log.Warn("EVENT: Primary adapter timeout — broadcasting switch to fallback", "error", errors.New("too late"))
	log.Error("upstream said \"a\nb\x1b[31m\"", "error", errors.New("two\nlines"))
	return out.String()
}

func TestTheDemoLogIsTheMessageAndTheCauseOfAnError(t *testing.T) {
	want := "Response: Chien\n" +
		"EVENT: Primary adapter timeout — broadcasting switch to fallback\n" +
		"upstream said \"a\\nb\\x1b[31m\": two\\nlines\n"
	if got := logged("demo"); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestTextAndJSONLogsHoldEverythingInOneLinePerRecord(t *testing.T) {
	text := strings.Split(strings.TrimSpace(logged("text")), "\n")
	if len(text) != 4 {
		t.Errorf("%d lines: %q", len(text), text)
	}
	for _, part := range []string{"level=INFO", `msg="Response: Chien"`, "instance=hotswap-1", "adapter=primary", "call.latency=3ms"} {
		if !strings.Contains(text[1], part) {
			t.Errorf("%q lacks %q", text[1], part)
		}
	}
	lines := strings.Split(strings.TrimSpace(logged("json")), "\n")
	if len(lines) != 4 {
		t.Errorf("%d lines: %q", len(lines), lines)
	}
	for _, line := range lines {
		var record map[string]any
		if err := json.Unmarshal([]byte(line), &record); err != nil || record["instance"] != "hotswap-1" {
			t.Errorf("%q: %v", line, err)
		}
	}
}

func TestALogWithoutAnInstanceNamesNone(t *testing.T) {
	var out bytes.Buffer
	NewLogger(&out, "text", "").Info("hello")
	if strings.Contains(out.String(), "instance") {
		t.Error(out.String())
	}
}
