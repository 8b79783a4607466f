package scenario

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// The output in the documentation has the shape of what a scenario prints now: its
// announcement, its versions and the rows of its table.
func TestDocumentationShowsEveryScenario(t *testing.T) {
	text, err := os.ReadFile("../../../../docs/limitations.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range scenarios() {
		t.Run(s.name, func(t *testing.T) {
			var out bytes.Buffer
			tell := &teller{out: &out}
			s.announce(tell)
			for _, v := range s.versions {
				tell.heading(v.name + ": " + v.says)
			}
			names, _ := outcome{until: "until all"}.rows()
			for line := range strings.Lines(out.String() + strings.Join(names, "\n")) {
				if !bytes.Contains(text, []byte(strings.TrimSpace(line))) {
					t.Errorf("docs/limitations.md lacks %q", strings.TrimSpace(line))
				}
			}
		})
	}
}
