// Package prefixed writes the logs of several services to one place, each line
// with the name of its service in front, as compose does.
package prefixed

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"sync"
)

// colours are those of compose, as ANSI codes: one service each, in turn.
var colours = []string{"36", "33", "32", "35", "34", "96", "93", "92", "95", "94"}

// Output is where the lines go. It is safe for concurrent use, and writes whole
// lines only.
type Output struct {
	mu      sync.Mutex
	to      io.Writer
	colour  bool
	width   int
	writers []*writer
	err     error
}

// New makes an output for the named services. Names are padded to the longest.
func New(to io.Writer, colour bool, names ...string) *Output {
	o := &Output{to: to, colour: colour}
	for i, name := range names {
		o.width = max(o.width, len(name))
		o.writers = append(o.writers, &writer{output: o, name: name, colour: colours[i%len(colours)]})
	}
	return o
}

// Colour reports whether a file wants colour: it is a terminal, and NO_COLOR
// (no-color.org) is not set.
func Colour(file *os.File, environ map[string]string) bool {
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && environ["NO_COLOR"] == "" && environ["TERM"] != "dumb"
}

// Writer returns the log of a service that New was given.
func (o *Output) Writer(name string) io.Writer {
	for _, w := range o.writers {
		if w.name == name {
			return w
		}
	}
	panic("prefixed: no service is named " + name)
}

// Write writes lines of nobody's, without a prefix.
func (o *Output) Write(text []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.to.Write(text)
}

// Flush writes out lines that have no end yet, and returns the first error of
// the output.
func (o *Output) Flush() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, w := range o.writers {
		if len(w.partial) > 0 {
			w.line(w.partial)
			w.partial = nil
		}
	}
	return o.err
}

// writer is the log of one service.
type writer struct {
	output       *Output
	name, colour string
	partial      []byte
}

// Write takes text in any pieces.
func (w *writer) Write(text []byte) (int, error) {
	w.output.mu.Lock()
	defer w.output.mu.Unlock()
	w.partial = append(w.partial, text...)
	for {
		line, rest, whole := bytes.Cut(w.partial, []byte("\n"))
		if !whole {
			return len(text), nil
		}
		w.line(line)
		w.partial = rest
	}
}

// line writes one line, in one piece. The caller holds the output's mutex.
func (w *writer) line(line []byte) {
	prefix := fmt.Sprintf("%-*s  | ", w.output.width, w.name)
	if w.output.colour {
		prefix = "\x1b[" + w.colour + "m" + prefix + "\x1b[0m"
	}
	if _, err := fmt.Fprintf(w.output.to, "%s%s\n", prefix, line); err != nil && w.output.err == nil {
		w.output.err = err
	}
}
