package rabbitmq

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/hotswap"
)

func TestNewRefuses(t *testing.T) {
	noPEM := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(noPEM, []byte("hello"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		change func(*Settings)
		want   string
	}{
		"no URL":                {func(s *Settings) { s.URLs = nil }, "no broker URL"},
		"no AMQP URL":           {func(s *Settings) { s.URLs = []string{"http://localhost"} }, "broker URL 1 of 1"},
		"blank URL":             {func(s *Settings) { s.URLs = append(s.URLs, "") }, "broker URL 2 of 2"},
		"no id":                 {func(s *Settings) { s.ID = "" }, "bus id"},
		"id with a wildcard":    {func(s *Settings) { s.ID = "a:*:b" }, "bus id"},
		"negative size":         {func(s *Settings) { s.MaxBytes = -1 }, "log of -1 bytes"},
		"segment above size":    {func(s *Settings) { s.MaxBytes, s.SegmentBytes = 10, 11 }, "segments of 11"},
		"heartbeat too short":   {func(s *Settings) { s.Heartbeat = time.Millisecond }, "heartbeat 1ms"},
		"negative step timeout": {func(s *Settings) { s.StepTimeout = -1 }, "step timeout"},
		"backoff upside down":   {func(s *Settings) { s.BackoffMin, s.BackoffMax = 2, 1 }, "backoff"},
		"no CA file":            {func(s *Settings) { s.TLS.CAFile = "absent.pem" }, "absent.pem"},
		"CA file without PEM":   {func(s *Settings) { s.TLS.CAFile = noPEM }, "no certificate"},
		"key without a cert":    {func(s *Settings) { s.TLS.KeyFile = noPEM }, "client certificate"},
	} {
		t.Run(name, func(t *testing.T) {
			s := Settings{URLs: []string{"amqp://localhost"}, ID: "a:1:b"}
			test.change(&s)
			if _, err := New(s); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want an error about %q", err, test.want)
			}
		})
	}
}

// A URL that does not parse may have its password anywhere.
func TestNewHidesPasswords(t *testing.T) {
	for _, url := range []string{
		"amqp://user:sec ret@localhost", "amqp://user:sec/ret@localhost", "amqp://user:sec:ret@localhost",
		"amqp://user:sec%ret@localhost", "http://user:secret@localhost", "user:secret@localhost",
	} {
		_, err := New(Settings{URLs: []string{url}, ID: "a:1:b"})
		if err != nil && (strings.Contains(err.Error(), "sec") || strings.Contains(err.Error(), "ret@")) {
			t.Errorf("%s: %v", url, err)
		}
	}
}

func TestRedact(t *testing.T) {
	s := Settings{URLs: []string{"amqp://user:secret@broker/vhost"}, ID: "a:1:b"}
	brokers, err := s.brokers()
	if err != nil {
		t.Fatal(err)
	}
	cause := errors.New("dial amqp://user:secret@broker/vhost: secret is wrong")
	got := redact(cause, brokers[0])
	if !errors.Is(got, cause) || got.Error() != "dial (broker URL): xxxxx is wrong" {
		t.Errorf("got %q", got)
	}
}

func TestDefaults(t *testing.T) {
	s := Settings{ID: "zoo:1:b"}.withDefaults()
	if s.Exchange != "springCloudBus" || s.Stream != "zoo.log" || s.MaxBytes != 16<<20 || s.SegmentBytes != 1<<20 {
		t.Errorf("got %+v", s)
	}
}

func TestNewID(t *testing.T) {
	if id := NewID("hotswap", "8081"); !regexp.MustCompile(`^hotswap:8081:[0-9a-f]{32}$`).MatchString(id) {
		t.Errorf("got %q", id)
	}
	if id := NewID("a:b*{c}?", ""); !strings.HasPrefix(id, "a-b--c--:0:") {
		t.Errorf("got %q", id)
	}
	if first, second := NewID("a", "1"), NewID("a", "1"); first == second {
		t.Error("two ids are equal")
	}
}

// A Bus that was not subscribed has no connection, and says so at once.
func TestPublishWithoutConnection(t *testing.T) {
	b, err := New(Settings{URLs: []string{"amqp://localhost"}, ID: "a:1:b"})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	event := hotswap.AdapterSwitchEvent{ID: "1", Origin: "a:1:b", Target: "x"}
	if err := b.Publish(context.Background(), event); !errors.Is(err, hotswap.ErrUnavailable) {
		t.Errorf("got %v, want ErrUnavailable", err)
	}
	event.Target = ""
	if err := b.Publish(context.Background(), event); err == nil || errors.Is(err, hotswap.ErrUnavailable) {
		t.Errorf("got %v, want an error about the event", err)
	}
	if n := b.Stats().PublishFailures; n != 2 {
		t.Errorf("%d failures counted, want 2", n)
	}
}
