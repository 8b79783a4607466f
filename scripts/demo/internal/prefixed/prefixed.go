// Package prefixed writes the output of several services to one place the way
// docker compose does: each line behind the name of its service, the bars in one
// column, a colour per service on a terminal.
package prefixed

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"unicode/utf8"
)

// colours are the foreground colours that compose uses, in its order.
var colours = []int{36, 33, 32, 35, 34, 96, 93, 92, 95, 94}

// Mux is where the services' lines come together. Lines of different writers
// never mix. Safe for concurrent use.
type Mux struct {
	width  int
	colour bool

	mu   sync.Mutex
	next int
	out  io.Writer
}

// New makes a Mux that writes whole lines to out. names are all the names
// that will be asked for: the longest sets the column of the bars. With colour,
// each name gets the next colour.
func New(out io.Writer, colour bool, names ...string) *Mux {
	m := &Mux{out: out, colour: colour}
	for _, name := range names {
		m.width = max(m.width, utf8.RuneCountInString(name))
	}
	return m
}

// Writer returns the writer of one service. It keeps a line back until its end
// has come; Close writes what is left. Each service asks once.
func (m *Mux) Writer(name string) *Writer {
	m.mu.Lock()
	defer m.mu.Unlock()
	prefix := name + strings.Repeat(" ", max(0, m.width-utf8.RuneCountInString(name))) + "  | "
	if m.colour {
		prefix = fmt.Sprintf("\x1b[%dm%s\x1b[0m", colours[m.next%len(colours)], prefix)
	}
	m.next++
	return &Writer{mux: m, prefix: prefix}
}

func (m *Mux) write(line []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, err := m.out.Write(line)
	return err
}

// Writer puts the prefix of one service before each line. Safe for concurrent
// use; what one Write brings stays together if it is whole lines.
type Writer struct {
	mux    *Mux
	prefix string

	mu   sync.Mutex
	rest []byte // the begun line
}

// Write takes all of p, and returns the first error of the Mux's output. Lines
// that could not be written are dropped.
func (w *Writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.rest = append(w.rest, p...)
	var out bytes.Buffer
	for {
		line, rest, ended := bytes.Cut(w.rest, []byte("\n"))
		if !ended {
			break
		}
		w.append(&out, line)
		w.rest = rest
	}
	w.rest = bytes.Clone(w.rest) // lets go of the lines before it
	return len(p), w.flush(&out)
}

// Close writes a line that has no end yet. The Writer may be used again.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	var out bytes.Buffer
	if len(w.rest) > 0 {
		w.append(&out, w.rest)
		w.rest = nil
	}
	return w.flush(&out)
}

func (w *Writer) append(out *bytes.Buffer, line []byte) {
	out.WriteString(w.prefix)
	out.Write(bytes.TrimSuffix(line, []byte("\r")))
	out.WriteByte('\n')
}

func (w *Writer) flush(out *bytes.Buffer) error {
	if out.Len() == 0 {
		return nil
	}
	return w.mux.write(out.Bytes())
}

// Colour says whether lines for f should be coloured: f is a terminal that knows
// colours, and the user has not set NO_COLOR (no-color.org). getenv is os.Getenv.
func Colour(f *os.File, getenv func(string) string) bool {
	if getenv("NO_COLOR") != "" || getenv("TERM") == "dumb" {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
