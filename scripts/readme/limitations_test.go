package readme

import (
	"os"
	"strings"
	"testing"
)

// TestLimitationsQuoteTheScenarios holds every figure that the README shows of a
// scenario against the whole output in docs/limitations.md.
func TestLimitationsQuoteTheScenarios(t *testing.T) {
	text, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile("../../docs/limitations.md")
	if err != nil {
		t.Fatal(err)
	}
	_, part, _ := strings.Cut(string(text), "<!-- limitations -->")
	part, _, closed := strings.Cut(part, "<!-- /limitations -->")
	if !closed {
		t.Fatal("README.md has no <!-- limitations --> … <!-- /limitations -->")
	}
	quoted := 0
	for line := range strings.Lines(part) {
		if !strings.HasPrefix(line, "  ") {
			continue
		}
		quoted++
		if !strings.Contains(string(whole), "\n"+line) {
			t.Errorf("docs/limitations.md lacks %q", line)
		}
	}
	if quoted == 0 {
		t.Error("nothing is quoted")
	}
}
