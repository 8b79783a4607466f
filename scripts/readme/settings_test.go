package readme

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/service"
	"github.com/adapter-hotswap/adapter-hotswap-go/services/fallback/steady"
	"github.com/adapter-hotswap/adapter-hotswap-go/services/hotswap/composition"
	"github.com/adapter-hotswap/adapter-hotswap-go/services/primary/flaky"
)

const readme = "../../README.md"

var update = flag.Bool("update", false, "write the tables of the README anew")

// TestSettingsTables holds each settings table against the struct that the
// service reads.
func TestSettingsTables(t *testing.T) {
	for name, settings := range map[string][]service.Setting{
		"hotswap":  service.Settings[composition.Settings](),
		"primary":  service.Settings[flaky.Settings](),
		"fallback": service.Settings[steady.Settings](),
	} {
		t.Run(name, func(t *testing.T) { checkPart(t, "settings "+name, table(settings)) })
	}
}

func table(settings []service.Setting) string {
	var b strings.Builder
	b.WriteString("| variable | default | what it is | allowed |\n|---|---|---|---|\n")
	for _, s := range settings {
		standard := "none"
		if s.Default != "" {
			standard = "`" + s.Default + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", s.Name, standard, s.Help, s.Rule)
	}
	return b.String()
}

// checkPart compares what stands between the markers of a part with want.
func checkPart(t *testing.T, part, want string) {
	t.Helper()
	text, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	begin, end := "<!-- "+part+" -->\n", "<!-- /"+part+" -->"
	before, rest, found := strings.Cut(string(text), begin)
	got, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		t.Fatalf("README.md has no %q … %q", strings.TrimSpace(begin), end)
	}
	switch {
	case got == want:
	case *update:
		if err := os.WriteFile(readme, []byte(before+begin+want+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("README.md, %q: go test ./scripts/readme -update\ngot:\n%s\nwant:\n%s", part, got, want)
	}
}
