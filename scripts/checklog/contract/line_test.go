package contract

import (
	"errors"
	"strings"
	"testing"
)

// What compose, terminals and the demo put around a message, and what is left.
func TestSplit(t *testing.T) {
	const message = "Response: Chien"
	ours := func(instance string) line { return line{instance: instance, message: message} }
	tests := []struct {
		name, raw string
		want      line
		ours      bool
	}{
		{"compose 2 and the demo", "hotswap-1  | " + message, ours("hotswap-1"), true},
		{"padded to a longer name", "hotswap-12   | " + message, ours("hotswap-12"), true},
		{"compose 2 with the project", "adapter-hotswap-go-hotswap-1  | " + message, ours("hotswap-1"), true},
		{"compose 2, a service for each instance", "hotswap-2-1  | " + message, ours("hotswap-2"), true},
		{"compose 1, a service for each instance", "hotswap-2_1   | " + message, ours("hotswap-2"), true},
		{"compose 1, more instances", "demo_hotswap-more_3 | " + message, ours("hotswap-more-3"), true},
		{"compose 2, more instances", "hotswap-more-3  | " + message, ours("hotswap-more-3"), true},
		{"the second of an instance's own service", "hotswap-1-2  | " + message, ours("hotswap-1-2"), true},
		{"compose 1", "hotswap_1   | " + message, ours("hotswap-1"), true},
		{"compose 1 with the project", "demo_hotswap_2   | " + message, ours("hotswap-2"), true},
		{"a container name without a number", "hotswap | " + message, ours("hotswap"), true},
		{"a colour around the prefix", "\x1b[36mhotswap_1   |\x1b[0m " + message, ours("hotswap-1"), true},
		{"a colour around everything", "\x1b[1;36mhotswap-1  | \x1b[0m\x1b[32m" + message + "\x1b[0m\r\n", ours("hotswap-1"), true},
		{"a Windows line end", "hotswap-1  | " + message + "\r", ours("hotswap-1"), true},
		{"a timestamp", "hotswap-1  | 2026-01-31T12:00:00.123456789Z " + message, ours("hotswap-1"), true},
		{"no prefix", message, ours(alone), true},
		{"an empty message", "hotswap-1  |", line{instance: "hotswap-1"}, true},
		{"a bar in the message", "hotswap-1  | a | b", line{instance: "hotswap-1", message: "a | b"}, true},
		{"compose 2 says that it ended", "hotswap-2 exited with code 137", line{instance: "hotswap-2", exited: true}, true},
		{"compose 1 says that an instance with its own service ended", "demo_hotswap-1_1 exited with code 0", line{instance: "hotswap-1", exited: true}, true},
		{"compose 1 says that it ended", "demo_hotswap_2 exited with code 0\r\n", line{instance: "hotswap-2", exited: true}, true},

		{"another service", "primary-1  | " + message, line{}, false},
		{"another service, in a project named like ours", "adapter-hotswap-primary-1  | " + message, line{}, false},
		{"a service with a longer name", "hotswapper-1  | " + message, line{}, false},
		{"another service that ended", "rabbitmq-1 exited with code 0", line{}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := newSplitter("hotswap").split(tt.raw)
			if ok != tt.ours || ok && got != tt.want {
				t.Errorf("split(%q) = %+v, %t, want %+v, %t", tt.raw, got, ok, tt.want, tt.ours)
			}
		})
	}
}

// A service may be called anything that compose allows.
func TestSplitServiceName(t *testing.T) {
	got, ok := newSplitter("my.animals").split("my.animals-1  | x")
	if !ok || got.instance != "my.animals-1" {
		t.Errorf("got %+v, %t", got, ok)
	}
	if got, ok := newSplitter("my.animals").split("my-animals-1  | x"); ok {
		t.Errorf("took %+v for a line of my.animals", got)
	}
}

// A prefix never hides or changes a message, whatever it says.
func FuzzSplit(f *testing.F) {
	f.Add("Response: Chien")
	f.Add("\x1b[36mhotswap_1   |\x1b[0m \x1b[")
	f.Add("2026-01-31T12:00:00Z | exited with code 1\r")
	f.Fuzz(func(t *testing.T, message string) {
		s := newSplitter("hotswap")
		s.split(message)
		if strings.ContainsAny(message, "\x1b\r\n") || timestamp.MatchString(message) || exit.MatchString("hotswap-1  | "+message) {
			return
		}
		want := line{instance: "hotswap-1", message: message}
		if got, ok := s.split("\x1b[36mdemo_hotswap_1  |\x1b[0m " + message + "\r\n"); !ok || got != want {
			t.Errorf("got %+v, %t, want %+v", got, ok, want)
		}
	})
}

// Whatever a log holds, the verdict is one of three.
func FuzzCheck(f *testing.F) {
	f.Add(Sample())
	f.Add(Sample() + Sample())
	f.Add("hotswap-1  | REPLAY: Cluster is on 'fallback'\nhotswap-1 exited with code 1\n" + Sample())
	f.Add("HEALTHCHECK: Primary adapter responding again\nEVENT: Switching adapter from 'fallback' to 'primary'\nResponse: Chien")
	f.Fuzz(func(t *testing.T, log string) {
		checker, err := Check(strings.NewReader(log), Options{MaxTimeouts: 1})
		var v *Violation
		switch {
		case err == nil && checker.Whole() == 0:
			t.Error("passed without a whole cycle")
		case errors.As(err, &v) && (v.Line < 1 || v.Cycle < 1 || v.Rule == ""):
			t.Errorf("says too little: %+v", v)
		case err != nil && v == nil && !errors.Is(err, ErrShort):
			t.Errorf("neither a violation nor too short: %v", err)
		}
	})
}

// A line without end costs no memory and hides nothing after it.
func TestEndlessLine(t *testing.T) {
	log := strings.Repeat("x", 1<<20) + "\n" + Sample()
	checker, err := Check(strings.NewReader(log), Options{})
	if err != nil || checker.Whole() != 1 {
		t.Errorf("%d cycles, %v", checker.Whole(), err)
	}
}

// An error of the reader is handed on, not taken for the end of the log.
func TestReadError(t *testing.T) {
	broken := errors.New("broken pipe")
	_, err := Check(failing{broken}, Options{})
	if !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }
