package scenario

import (
	"fmt"
	"io"
	"slices"
	"sync"
	"time"
)

// teller writes what happens, as it happens. It is safe for concurrent use.
type teller struct {
	out io.Writer

	mu    sync.Mutex
	began time.Time
	err   error // the first of out

	// last is what was quoted last, and by are those who said it.
	last string
	by   []string
}

// heading begins a part.
func (t *teller) heading(text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.flush()
	t.printf("\n%s\n", text)
}

func (t *teller) line(text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.flush()
	t.printf("  %s\n", text)
}

// start sets the clock of say and quote to 0.
func (t *teller) start() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.began = time.Now()
}

// say tells what the scenario does or sees, with the time.
func (t *teller) say(format string, arguments ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.flush()
	t.printf("%s  %s\n", t.clock(), fmt.Sprintf(format, arguments...))
}

// quote tells a line of an instance's log. What several say at once is told once.
func (t *teller) quote(instance, message string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if message == t.last && !slices.Contains(t.by, instance) {
		t.by = append(t.by, instance)
		return
	}
	t.flush()
	t.printf("%s  %s | %s\n", t.clock(), instance, message)
	t.last, t.by = message, []string{instance}
}

// flush tells of the others. The caller holds mu.
func (t *teller) flush() {
	if n := len(t.by); n > 1 {
		t.printf("          … and %d more\n", n-1)
	}
	t.last, t.by = "", nil
}

func (t *teller) clock() string { return fmt.Sprintf("  %5.2fs", time.Since(t.began).Seconds()) }

func (t *teller) printf(format string, arguments ...any) {
	if _, err := fmt.Fprintf(t.out, format, arguments...); err != nil && t.err == nil {
		t.err = err
	}
}
