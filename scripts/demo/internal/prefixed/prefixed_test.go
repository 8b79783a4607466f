package prefixed_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/adapter-hotswap/adapter-hotswap-go/scripts/demo/internal/prefixed"
)

func Example() {
	mux := prefixed.New(os.Stdout, false, "hotswap-1", "fallback-1")
	hotswap, fallback := mux.Writer("hotswap-1"), mux.Writer("fallback-1")
	fmt.Fprintln(hotswap, "Response: Chien")
	fmt.Fprintln(fallback, "Serving")
	fmt.Fprint(hotswap, "no line end")
	hotswap.Close()
	// Output:
	// hotswap-1   | Response: Chien
	// fallback-1  | Serving
	// hotswap-1   | no line end
}

// However the output of a service is cut into writes, its lines come out whole.
func TestLinesDoNotDependOnTheWrites(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pieces := rapid.SliceOf(rapid.StringMatching(`([ab\n]|\r\n){0,6}`)).Draw(t, "pieces")
		var out bytes.Buffer
		w := prefixed.New(&out, false).Writer("s")
		for _, piece := range pieces {
			if n, err := w.Write([]byte(piece)); n != len(piece) || err != nil {
				t.Fatalf("Write = %d, %v", n, err)
			}
		}
		w.Close()
		if got, want := out.String(), prefixEach(strings.Join(pieces, "")); got != want {
			t.Fatalf("got %q, want %q", got, want)
		}
	})
}

func prefixEach(text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		out.WriteString("s  | " + strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r") + "\n")
	}
	return out.String()
}

// Nothing is written before a line has ended, and one Write brings it all.
func TestLinesAreWrittenAtOnce(t *testing.T) {
	var out recorder
	w := prefixed.New(&out, false).Writer("s")
	for _, piece := range []string{"one", " line", "\n", "two\nthree\nfo", "ur\n"} {
		fmt.Fprint(w, piece)
	}
	w.Close()
	want := []string{"s  | one line\n", "s  | two\ns  | three\n", "s  | four\n"}
	if fmt.Sprint(out.writes) != fmt.Sprint(want) {
		t.Errorf("got %q, want %q", out.writes, want)
	}
}

// Lines of services that write at the same time never mix.
func TestConcurrentLinesStayWhole(t *testing.T) {
	const services, lines = 8, 200
	var out bytes.Buffer
	mux := prefixed.New(&out, false)
	var all sync.WaitGroup
	for s := range services {
		w := mux.Writer(fmt.Sprintf("service-%d", s))
		for range 2 { // two goroutines of one service
			all.Go(func() {
				for range lines {
					fmt.Fprintf(w, "%s\n", strings.Repeat(fmt.Sprint(s), 40))
				}
			})
		}
	}
	all.Wait()
	whole := regexp.MustCompile(`^service-(\d)  \| (\d){40}$`)
	got := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	for _, line := range got {
		if m := whole.FindStringSubmatch(line); m == nil || strings.Trim(line[14:], m[1]) != "" {
			t.Fatalf("mixed line %q", line)
		}
	}
	if len(got) != services*2*lines {
		t.Errorf("%d lines, want %d", len(got), services*2*lines)
	}
}

// Each service has its own colour, which ends with the prefix.
func TestColours(t *testing.T) {
	var out bytes.Buffer
	mux := prefixed.New(&out, true, "a", "b")
	fmt.Fprintln(mux.Writer("a"), "x")
	fmt.Fprintln(mux.Writer("b"), "x")
	if want := "\x1b[36ma  | \x1b[0mx\n\x1b[33mb  | \x1b[0mx\n"; out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}

// More services than colours start over.
func TestColoursRunOut(t *testing.T) {
	var out bytes.Buffer
	mux := prefixed.New(&out, true)
	for range 25 {
		fmt.Fprintln(mux.Writer("s"), "x")
	}
	if n := strings.Count(out.String(), "\x1b[36m"); n != 3 {
		t.Errorf("the first colour came %d times, want 3", n)
	}
}

func TestErrorOfTheOutputIsReturned(t *testing.T) {
	full := errors.New("disk full")
	w := prefixed.New(&recorder{err: full}, false).Writer("s")
	if _, err := w.Write([]byte("line\n")); !errors.Is(err, full) {
		t.Errorf("Write: %v", err)
	}
	fmt.Fprint(w, "rest")
	if err := w.Close(); !errors.Is(err, full) {
		t.Errorf("Close: %v", err)
	}
}

func TestColour(t *testing.T) {
	terminal, err := os.Open("/dev/null") // a character device, as a terminal is
	if err != nil {
		t.Skip("/dev/null is missing")
	}
	defer terminal.Close()
	file, err := os.Create(t.TempDir() + "/file")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	tests := []struct {
		name string
		f    *os.File
		env  map[string]string
		want bool
	}{
		{"a terminal", terminal, nil, true},
		{"a file", file, nil, false},
		{"no colour wanted", terminal, map[string]string{"NO_COLOR": "1"}, false},
		{"NO_COLOR is empty", terminal, map[string]string{"NO_COLOR": ""}, true},
		{"a terminal without colours", terminal, map[string]string{"TERM": "dumb"}, false},
	}
	for _, tt := range tests {
		if got := prefixed.Colour(tt.f, func(key string) string { return tt.env[key] }); got != tt.want {
			t.Errorf("%s: %t, want %t", tt.name, got, tt.want)
		}
	}
}

// recorder keeps each write, or fails it.
type recorder struct {
	writes []string
	err    error
}

func (r *recorder) Write(p []byte) (int, error) {
	r.writes = append(r.writes, string(p))
	return len(p), r.err
}
