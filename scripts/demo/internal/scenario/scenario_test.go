package scenario

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/rabbitmq/brokertest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestScenariosOnTheBusInMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("plays in real time for half a minute, which -short leaves out")
	}
	performAndCheck(t, "")
}

var onBroker = flag.Bool("broker", false, "play the scenarios on a real broker, too")

func TestScenariosOnABroker(t *testing.T) {
	if !*onBroker {
		t.Skip("plays for another half a minute: needs the flag -broker, as scripts/test.sh sets it")
	}
	performAndCheck(t, brokertest.URL(brokertest.Start(t)))
}

func TestListNamesEveryScenarioOnce(t *testing.T) {
	var out strings.Builder
	if err := List(&out); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != len(scenarios())+1 {
		t.Errorf("%d lines, want one for each scenario and one for all:\n%s", len(lines), out.String())
	}
	for i, s := range scenarios() {
		if !strings.HasPrefix(lines[i], s.name+" ") {
			t.Errorf("line %d is %q, want it to name %s", i+1, lines[i], s.name)
		}
		if claims[s.name] == nil {
			t.Errorf("nothing is tested of %s", s.name)
		}
	}
}

func TestUnknownScenario(t *testing.T) {
	var out bytes.Buffer
	err := Play(t.Context(), "quorom", Options{Out: &out})
	if !errors.Is(err, ErrUnknown) || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), `"quorom"`) {
		t.Errorf("got %v, want one line that names it", err)
	}
	if out.Len() > 0 {
		t.Errorf("played something: %s", out.String())
	}
}

func TestBrokersThatCannotBeUsed(t *testing.T) {
	for _, url := range []string{"localhost:5672", "amqps://localhost/", "amqp://a/,amqp://b/", "amqp://127.0.0.1:1/"} {
		err := Play(t.Context(), "pin", Options{Out: new(bytes.Buffer), AMQP: url})
		if !errors.Is(err, ErrBroker) {
			t.Errorf("%s: got %v, want %v", url, err, ErrBroker)
		}
	}
}

// Stopped in the middle, a scenario ends clean and shows no table: goleak sees to
// what is left behind.
func TestStoppedInTheMiddle(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	out := &stopper{at: "The path of hotswap-1", stop: stop}
	if err := Play(ctx, "quorum", Options{Out: out}); err != nil {
		t.Fatal(err)
	}
	if text := out.String(); !strings.HasSuffix(text, "\nStopped.\n") || strings.Contains(text, "In numbers") {
		t.Errorf("got %s", text)
	}
}

// stopper calls stop when it reads at.
type stopper struct {
	bytes.Buffer
	at   string
	stop func()
}

func (s *stopper) Write(p []byte) (int, error) {
	if strings.Contains(string(p), s.at) {
		s.stop()
	}
	return s.Buffer.Write(p)
}

func TestTableLinesUp(t *testing.T) {
	var out bytes.Buffer
	tell := &teller{out: &out}
	off := outcome{timeouts: 12, firstSecond: notSeen, until: "until all are back", converged: 1234 * time.Millisecond}
	on := outcome{until: "until all are back", converged: notSeen, extras: nil}
	tell.table([]version{{name: "off"}, {name: "on"}}, []outcome{off, on})
	want := `
In numbers:
                                                      off           on
  timeouts suffered                                    12            0
  requests answered by the primary                      0            0
  requests answered by the fallback                     0            0
  requests answered by nobody                           0            0
  requests on the primary in its first second back   none            0
  switches of the cluster                               0            0
  time until all are back                           1.23s  not in time
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}

// What several instances say at once is told once.
func TestQuotesOfSeveral(t *testing.T) {
	var out bytes.Buffer
	tell := &teller{out: &out, began: time.Now()}
	for _, name := range []string{"hotswap-1", "hotswap-2", "hotswap-3"} {
		tell.quote(name, "BUS: Connected")
	}
	tell.quote("hotswap-1", "BUS: Connected")
	if got := strings.Count(out.String(), "BUS: Connected"); got != 2 || !strings.Contains(out.String(), "… and 2 more") {
		t.Errorf("got\n%s", out.String())
	}
}
