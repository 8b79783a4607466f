package cluster

import (
	"fmt"
	"maps"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/rabbitmq/brokertest"
)

const instances = 8

// settings turn on what the test is about, together. The timeout is long enough
// for a machine that is busy with eight of everything.
var settings = map[string]string{
	"TIMEOUT": "2s", "HEALTH_INTERVAL": "3s", "POLL_INTERVAL": "200ms", "REPLAY_WAIT": "1m",
	"QUORUM": "2", "QUORUM_WINDOW": "10s", "ONE_PROBER": "on", "CANARY": "5", "RAMP": "2s",
}

// system is everything that runs.
type system struct {
	broker  brokertest.Broker
	primary string
	hotswap string // the binary
	// way is everybody's path to the primary, ownWay that of the first instance.
	way, ownWay *path
	environ     []map[string]string // by instance
	urls        []string            // by instance
	running     []*process          // by instance
}

// start runs the system and returns when every instance is ready and connected.
func start(t *testing.T) *system {
	t.Helper()
	s := &system{broker: brokertest.Start(t)}
	binaries := build(t)
	s.hotswap = filepath.Join(binaries, "hotswap")
	ports := freePorts(t, instances+2)
	s.primary = local(ports[instances])
	fallback := local(ports[instances+1])
	s.service(t, filepath.Join(binaries, "primary"), ports[instances], map[string]string{"FAILING_FOR": "0s"})
	s.service(t, filepath.Join(binaries, "fallback"), ports[instances+1], nil)
	s.way, s.ownWay = newPath(t, s.primary), newPath(t, s.primary)
	for i := range instances {
		own := maps.Clone(settings)
		own["PORT"], own["INSTANCE"] = strconv.Itoa(ports[i]), fmt.Sprintf("hotswap-%d", i+1)
		own["AMQP_URL"], own["FALLBACK_URL"], own["PRIMARY_URL"] = brokertest.URL(s.broker), fallback, s.way.url
		if i == 0 {
			own["PRIMARY_URL"] = s.ownWay.url
		}
		s.environ, s.urls = append(s.environ, own), append(s.urls, local(ports[i]))
		s.running = append(s.running, run(t, s.hotswap, own["INSTANCE"], own))
	}
	t.Cleanup(func() {
		for _, p := range s.running {
			p.stop(t)
		}
	})
	s.await(t, "all are ready", func(x status) bool { return x.Connected })
	return s
}

func (s *system) service(t *testing.T, binary string, port int, environ map[string]string) {
	t.Helper()
	environ = maps.Clone(environ)
	if environ == nil {
		environ = make(map[string]string)
	}
	environ["PORT"] = strconv.Itoa(port)
	p := run(t, binary, filepath.Base(binary), environ)
	t.Cleanup(func() { p.stop(t) })
	eventually(t, p.name+" serves", func() bool { return get(t, local(port)+"/livez") != "" })
}

// await waits until what every instance says is right.
func (s *system) await(t *testing.T, what string, right func(status) bool) {
	t.Helper()
	for _, url := range s.urls {
		eventually(t, what, func() bool { return right(statusOf(t, url)) })
	}
}

func (s *system) awaitOn(t *testing.T, adapter string) {
	t.Helper()
	s.await(t, "all are on the "+adapter, func(x status) bool { return x.Active == adapter && !x.Alone })
}

// fault has the primary fail, or not.
func (s *system) fault(t *testing.T, mode string) {
	t.Helper()
	put(t, s.primary+"/fault", fmt.Sprintf(`{"mode":%q}`, mode))
}

// said returns what the instances said since from that begins with message.
func (s *system) said(from time.Time, message string) []record {
	var all []record
	for _, p := range s.running {
		all = append(all, p.said(from, message)...)
	}
	return all
}

// position is where the log stands: the place of the switch in force.
func (s *system) position(t *testing.T) uint64 {
	t.Helper()
	return statusOf(t, s.urls[1]).Position
}

// The parts of this test follow each other on one system: what an earlier one
// leaves behind is part of what a later one has to cope with.
func TestEightInstancesBeyondTheArticle(t *testing.T) {
	if testing.Short() {
		t.Skip("runs eight processes and a broker for a minute, which -short leaves out")
	}
	s := start(t)
	t.Run("one path is cut: no quorum, no switch", s.onePath)
	t.Run("the primary hangs: the quorum switches the cluster", s.outage)
	t.Run("the primary is well: one canary, then everybody", s.canary)
	t.Run("pinned: through a restart and a broker's death, until released", s.pin)
}

// onePath cuts the first instance's path to the primary.
func (s *system) onePath(t *testing.T) {
	s.awaitOn(t, "primary")
	began, before := time.Now(), s.position(t)
	s.ownWay.breakDown()
	eventually(t, "the first instance is alone on the fallback", func() bool {
		first := statusOf(t, s.urls[0])
		return first.Active == "fallback" && first.Alone
	})
	eventually(t, "its vote was cast again", func() bool { return len(s.running[1].said(began, "vote 1 of 2")) > 1 })
	for i, url := range s.urls[1:] {
		if x := statusOf(t, url); x.Active != "primary" || x.Position != before {
			t.Errorf("hotswap-%d is on the %s at position %d, want the primary at %d", i+2, x.Active, x.Position, before)
		}
	}
	s.ownWay.mend()
	s.awaitOn(t, "primary")
	if n := len(s.running[0].said(began, "HEALTHCHECK: Primary adapter responding again, no longer alone")); n != 1 {
		t.Errorf("the first instance said %d times that it is no longer alone, want once", n)
	}
	if after := s.position(t); after != before {
		t.Errorf("the cluster switched, at position %d", after)
	}
}

// outage breaks the primary for everybody.
func (s *system) outage(t *testing.T) {
	began := time.Now()
	s.fault(t, "timeout")
	s.awaitOn(t, "fallback")
	votes := s.said(began, "EVENT: Primary adapter timeout — voting for fallback, alone until the others agree")
	if len(votes) < 2 {
		t.Errorf("%d instances voted, want the quorum of 2 or more", len(votes))
	}
	t.Logf("%d of %d instances waited out a timeout", len(votes), instances)
	if n := len(s.said(began, "EVENT: Switching adapter from 'primary' to 'fallback'")); n != instances {
		t.Errorf("%d moves to the fallback, want one for each instance", n)
	}
}

// canary lets the primary be well again.
func (s *system) canary(t *testing.T) {
	well := time.Now()
	s.fault(t, "healthy")
	s.awaitOn(t, "primary")
	returns := s.said(well, "HEALTHCHECK: Primary adapter responding again")
	if len(returns) != 1 {
		t.Fatalf("%d instances decided to go back, want one that probes for all", len(returns))
	}
	decided := returns[0].Time
	canaries := s.way.passed(well, decided) + s.ownWay.passed(well, decided)
	if canaries != 5 {
		t.Errorf("%d requests on the primary before the way back, want the 5 of the canary", canaries)
	}
	moves := s.said(well, "EVENT: Switching adapter from 'fallback' to 'primary'")
	if len(moves) != instances {
		t.Errorf("%d moves to the primary, want one for each instance", len(moves))
	}
	t.Logf("the instances went back over %v", spread(moves).Round(time.Millisecond))
}

func spread(records []record) time.Duration {
	first, last := records[0].Time, records[0].Time
	for _, r := range records {
		if r.Time.Before(first) {
			first = r.Time
		}
		if r.Time.After(last) {
			last = r.Time
		}
	}
	return last.Sub(first)
}

// pin has an operator keep the cluster on the fallback, whatever happens.
func (s *system) pin(t *testing.T) {
	began := time.Now()
	put(t, s.urls[2]+"/adapter", `{"target":"fallback","pinned":true}`)
	pinned := func(x status) bool { return x.Active == "fallback" && x.Pinned && x.Connected }
	s.await(t, "all are pinned", pinned)

	s.restart(t, 4)
	if animal := get(t, s.urls[4]+"/animal"); animal != "Chat" {
		t.Errorf("after its restart hotswap-5 answers %q, want Chat", animal)
	}
	s.await(t, "the pin survives a restart", pinned)

	s.broker.Kill(t)
	s.await(t, "all know that the broker is gone", func(x status) bool { return !x.Connected })
	s.saysThatItIsAlone(t, 3, began)
	s.broker.Start(t)
	s.await(t, "the pin survives the broker", pinned)
	s.letProbeIntervalPass(t)
	s.await(t, "the pin holds", pinned)
	if n := len(s.said(began, "HEALTHCHECK")); n > 0 {
		t.Errorf("%d instances went back against the pin", n)
	}

	put(t, s.urls[6]+"/adapter", `{"pinned":false}`)
	s.awaitOn(t, "primary")
}

// letProbeIntervalPass waits for as many answers as an instance asks for in more
// than a probe interval.
func (s *system) letProbeIntervalPass(t *testing.T) {
	t.Helper()
	now := time.Now()
	eventually(t, "a probe interval has passed", func() bool { return len(s.running[3].said(now, "Response: Chat")) > 20 })
}

// restart ends an instance without notice and starts it anew.
func (s *system) restart(t *testing.T, i int) {
	t.Helper()
	s.running[i].kill()
	s.running[i] = run(t, s.hotswap, s.environ[i]["INSTANCE"], s.environ[i])
	eventually(t, "the restarted instance is ready", func() bool {
		return strings.HasPrefix(get(t, s.urls[i]+"/readyz"), "ready")
	})
}

// saysThatItIsAlone checks the log, the readiness and the metrics of an instance
// that is cut off.
func (s *system) saysThatItIsAlone(t *testing.T, i int, since time.Time) {
	t.Helper()
	if len(s.running[i].said(since, "BUS: Connection lost, deciding alone")) == 0 {
		t.Error("no line in the log says that the bus is lost")
	}
	if ready := get(t, s.urls[i]+"/readyz"); !strings.Contains(ready, "the bus is away, deciding alone") {
		t.Errorf("GET /readyz says %q", ready)
	}
	if !strings.Contains(get(t, s.urls[i]+"/metrics"), "\nhotswap_bus_connected 0\n") {
		t.Error("no metric says that the bus is lost")
	}
}
