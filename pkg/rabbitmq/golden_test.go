package rabbitmq

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	amqp "github.com/rabbitmq/amqp091-go"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/hotswap"
)

// golden is a message as it is on the wire: its AMQP properties, a blank line,
// its body.
type golden struct {
	properties map[string]string
	body       string
}

func readGolden(t testing.TB, name string) golden {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name+".message"))
	if err != nil {
		t.Fatal(err)
	}
	head, body, _ := strings.Cut(string(text), "\n\n")
	g := golden{properties: map[string]string{}, body: body}
	for line := range strings.Lines(head) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		g.properties[key] = value
	}
	return g
}

// Fixed values in the golden messages that an instance sends.
const (
	goldenOrigin = "hotswap:1:9f86d081884c7d659a2feaa0c55ad015"
	goldenID     = "6f1c9a52-2b0b-4c39-9b5b-0d7f0a2f6a01"
)

func sent(change func(*hotswap.AdapterSwitchEvent)) hotswap.AdapterSwitchEvent {
	after := hotswap.Position(41)
	e := hotswap.AdapterSwitchEvent{ID: goldenID, Origin: goldenOrigin, After: &after, Time: time.UnixMilli(1700000000123)}
	change(&e)
	return e
}

// What an instance sends, and the golden message for it.
var sentEvents = map[string]hotswap.AdapterSwitchEvent{
	"sent-switch": sent(func(e *hotswap.AdapterSwitchEvent) { e.Target, e.Reason = "fallback", "timeout" }),
	"sent-pin": sent(func(e *hotswap.AdapterSwitchEvent) {
		*e.After = 0
		e.Target, e.Reason, e.Manual, e.Pinned = "fallback", "manual", true, true
	}),
	"sent-ramp": sent(func(e *hotswap.AdapterSwitchEvent) {
		e.Target, e.Reason, e.Ramp = "primary", "recovered", 30*time.Second
	}),
	"sent-vote": sent(func(e *hotswap.AdapterSwitchEvent) {
		e.Kind, e.Target, e.Reason, e.Quorum, e.Window = hotswap.KindVote, "fallback", "error (HTTP 500)", 3, 10*time.Second
	}),
	"sent-withdrawal": sent(func(e *hotswap.AdapterSwitchEvent) { e.Kind = hotswap.KindWithdraw }),
	"sent-claim":      sent(func(e *hotswap.AdapterSwitchEvent) { e.Kind = hotswap.KindClaim }),
}

func TestGoldenSent(t *testing.T) {
	for name, event := range sentEvents {
		t.Run(name, func(t *testing.T) {
			want := readGolden(t, name)
			body, err := encode(event)
			if err != nil {
				t.Fatal(err)
			}
			if string(body) != want.body {
				t.Errorf("body:\n got %s\nwant %s", body, want.body)
			}
			checkProperties(t, publishing(body), want.properties)
			got, err := decode(jsonContent, body, "hotswap:2:60303ae22b998861bce3b28f33eec1be")
			if err != nil || !sameEvent(got, event) {
				t.Errorf("decoded:\n got %+v, %v\nwant %+v", got, err, event)
			}
		})
	}
}

var uuid = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)

// checkProperties compares all but the random id and the time.
func checkProperties(t testing.TB, p amqp.Publishing, want map[string]string) {
	t.Helper()
	got := map[string]string{
		"content_type":  p.ContentType,
		"delivery_mode": fmt.Sprint(p.DeliveryMode),
		"priority":      fmt.Sprint(p.Priority),
	}
	for key, value := range got {
		if value != want[key] {
			t.Errorf("%s is %s, want %s", key, value, want[key])
		}
	}
	if !uuid.MatchString(p.MessageId) || !uuid.MatchString(want["message_id"]) {
		t.Errorf("message_id %q or %q is no random UUID", p.MessageId, want["message_id"])
	}
	if p.Timestamp.IsZero() || p.Timestamp.Nanosecond() != 0 {
		t.Errorf("timestamp %s is no whole second", p.Timestamp)
	}
	if len(p.Headers) > 0 || p.Type != "" || p.Expiration != "" {
		t.Errorf("more properties than a peer sets: %+v", p)
	}
}

// What a peer written in Java sends, and what it means here.
var javaMessages = map[string]struct {
	want hotswap.AdapterSwitchEvent
	err  error
}{
	"java-switch": {want: hotswap.AdapterSwitchEvent{ID: goldenID, Target: "fallback",
		Origin: "hotswap:8081:9f86d081884c7d659a2feaa0c55ad015", Time: time.UnixMilli(1700000000000)}},
	"java-switch-for-others": {err: errNotForUs},
	"java-ack":               {err: errNotForUs},
	"java-refresh":           {err: errNotForUs},
	"java-environment":       {err: errNotForUs},
	"java-shutdown":          {err: errNotForUs},
	"java-custom":            {err: errNotForUs},
}

func TestGoldenReceived(t *testing.T) {
	for name, test := range javaMessages {
		t.Run(name, func(t *testing.T) {
			message := readGolden(t, name)
			got, err := decode(message.properties["content_type"], []byte(message.body), goldenOrigin)
			if !errors.Is(err, test.err) || !sameEvent(got, test.want) {
				t.Errorf("got %+v, %v\nwant %+v, %v", got, err, test.want, test.err)
			}
		})
	}
}

// sameEvent compares what is behind the pointer, too.
func sameEvent(a, b hotswap.AdapterSwitchEvent) bool {
	sameTime := a.Time.Equal(b.Time)
	sameAfter := (a.After == nil) == (b.After == nil) && (a.After == nil || *a.After == *b.After)
	a.Time, b.Time, a.After, b.After = time.Time{}, time.Time{}, nil, nil
	return sameTime && sameAfter && a == b
}
