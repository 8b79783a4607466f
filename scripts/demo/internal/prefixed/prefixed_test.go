package prefixed_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/adapter-hotswap/adapter-hotswap-go/scripts/demo/internal/prefixed"
)

func Example() {
	out := prefixed.New(os.Stdout, false, "primary", "hotswap-1")
	fmt.Fprintln(out.Writer("primary"), "FAULT: timeout")
	fmt.Fprint(out.Writer("hotswap-1"), "Response: ")
	fmt.Fprint(out.Writer("hotswap-1"), "Chat")
	_ = out.Flush()
	// Output:
	// primary    | FAULT: timeout
	// hotswap-1  | Response: Chat
}

func TestColourIsPerService(t *testing.T) {
	var text bytes.Buffer
	out := prefixed.New(&text, true, "a", "b")
	fmt.Fprintln(out.Writer("a"), "one")
	fmt.Fprintln(out.Writer("b"), "two")
	want := "\x1b[36ma  | \x1b[0mone\n\x1b[33mb  | \x1b[0mtwo\n"
	if text.String() != want {
		t.Errorf("got %q, want %q", text.String(), want)
	}
}

func TestNoColourForAFileOrWhenUnwanted(t *testing.T) {
	file, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if !prefixed.Colour(file, nil) {
		t.Skip("the null device is no character device here: it stands in for a terminal")
	}
	if prefixed.Colour(file, map[string]string{"NO_COLOR": "1"}) {
		t.Error("colour in spite of NO_COLOR")
	}
}

func TestLinesStayWhole(t *testing.T) {
	var text bytes.Buffer
	names := []string{"a", "b", "c"}
	out := prefixed.New(&text, false, names...)
	var writing sync.WaitGroup
	for _, name := range names {
		writing.Go(func() {
			for range 200 {
				for _, piece := range []string{name, name, name, "\n"} {
					_, _ = io.WriteString(out.Writer(name), piece)
				}
			}
		})
	}
	writing.Wait()
	lines := strings.Split(strings.TrimSuffix(text.String(), "\n"), "\n")
	if len(lines) != 600 {
		t.Errorf("got %d lines, want 600", len(lines))
	}
	for _, line := range lines {
		if name := line[:1]; line != name+"  | "+strings.Repeat(name, 3) {
			t.Fatalf("broken line %q", line)
		}
	}
}

// However the output of a service is cut into writes, its lines come out whole.
func TestLinesDoNotDependOnTheWrites(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pieces := rapid.SliceOf(rapid.StringMatching(`[ab\n]{0,6}`)).Draw(t, "pieces")
		var text, want bytes.Buffer
		out := prefixed.New(&text, false, "s")
		for _, piece := range pieces {
			_, _ = io.WriteString(out.Writer("s"), piece)
		}
		for line := range strings.Lines(strings.Join(pieces, "")) {
			fmt.Fprintf(&want, "s  | %s\n", strings.TrimSuffix(line, "\n"))
		}
		if err := out.Flush(); err != nil || text.String() != want.String() {
			t.Fatalf("got %q, %v, want %q", text.String(), err, want.String())
		}
	})
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, os.ErrClosed }

func TestFlushTellsThatTheOutputIsGone(t *testing.T) {
	out := prefixed.New(broken{}, false, "a")
	fmt.Fprintln(out.Writer("a"), "lost")
	if err := out.Flush(); err == nil {
		t.Error("no error")
	}
}
