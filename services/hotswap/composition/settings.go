package composition

import (
	"net/url"
	"time"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/hotswap"
)

// Settings are the environment of a hotswap instance. The defaults are the
// article's demo; what goes beyond it is off.
type Settings struct {
	Port        int     `env:"PORT" envDefault:"8080" rule:"port" help:"port to listen on"`
	Instance    string  `env:"INSTANCE" envDefault:"" rule:"text" help:"name in the page and in text or JSON logs; empty: the name that compose gave the container, or the host name"`
	PrimaryURL  url.URL `env:"PRIMARY_URL" envDefault:"http://localhost:9001" rule:"url" help:"the preferred upstream"`
	FallbackURL url.URL `env:"FALLBACK_URL" envDefault:"http://localhost:9002" rule:"url" help:"the upstream to fall back to"`
	LogFormat   string  `env:"LOG_FORMAT" envDefault:"demo" rule:"demo|text|json" help:"demo prints the walkthrough, text and json every detail"`

	Timeout        time.Duration `env:"TIMEOUT" envDefault:"3s" rule:"duration>0" help:"bound of a call to one adapter"`
	TimeoutJitter  time.Duration `env:"TIMEOUT_JITTER" envDefault:"0s" rule:"duration>=0" help:"longest random addition to the timeout, so that few of many callers detect"`
	PollInterval   time.Duration `env:"POLL_INTERVAL" envDefault:"1s" rule:"duration>=0" help:"time between two calls of the traffic poller; 0 turns it off"`
	ReplayWait     time.Duration `env:"REPLAY_WAIT" envDefault:"5s" rule:"duration>0" help:"how long to wait for the retained log before going on alone"`
	HealthInterval time.Duration `env:"HEALTH_INTERVAL" envDefault:"5s" rule:"duration>0" help:"time between two probes of the preferred adapter"`
	Chaos          bool          `env:"CHAOS" envDefault:"off" rule:"switch" help:"let the page and the API break things"`

	Beyond
	Broker
}

// Beyond are the settings that go beyond the article, one or more for each of
// its limitations.
type Beyond struct {
	Failures      int           `env:"FAILURES" envDefault:"1" rule:"int>0" help:"failures in a row before a decision"`
	FailureRate   float64       `env:"FAILURE_RATE" envDefault:"0" rule:"fraction" help:"decide on this share of failed calls instead; 0 turns it off"`
	FailureWindow time.Duration `env:"FAILURE_WINDOW" envDefault:"10s" rule:"duration>0" help:"how far back the rate looks"`
	FailureCalls  int           `env:"FAILURE_CALLS" envDefault:"10" rule:"int>0" help:"calls that the window must hold before the rate says anything"`
	Quorum        int           `env:"QUORUM" envDefault:"1" rule:"int>0" help:"instances that must see failures before the cluster switches"`
	QuorumWindow  time.Duration `env:"QUORUM_WINDOW" envDefault:"10s" rule:"duration>0" help:"how long the vote of an instance counts"`
	ProbeJitter   float64       `env:"PROBE_JITTER" envDefault:"0.1" rule:"fraction" help:"share of the probe interval by which probes are spread"`
	OneProber     bool          `env:"ONE_PROBER" envDefault:"off" rule:"switch" help:"one instance at a time probes for the cluster"`
	Canary        int           `env:"CANARY" envDefault:"0" rule:"int>=0" help:"real requests that the preferred adapter must answer before the way back"`
	Ramp          time.Duration `env:"RAMP" envDefault:"0s" rule:"duration>=0" help:"time over which the instances go back"`
	HoldDown      time.Duration `env:"HOLD_DOWN" envDefault:"0s" rule:"duration>=0" help:"least time away after a repeated failure; doubles each time"`
	HoldDownMax   time.Duration `env:"HOLD_DOWN_MAX" envDefault:"10m" rule:"duration>0" help:"cap of the hold-down"`
	QuietPeriod   time.Duration `env:"QUIET_PERIOD" envDefault:"5m" rule:"duration>0" help:"time without a failure that forgets the hold-down"`
}

// noJitter stands for 0, which the pattern takes for its default.
const noJitter = 1e-9

func (s *Settings) pattern() hotswap.Settings {
	return hotswap.Settings{
		Timeout: s.Timeout, TimeoutJitter: s.TimeoutJitter,
		Trip:   hotswap.Trip{Failures: s.Failures, Rate: s.FailureRate, Window: s.FailureWindow, MinCalls: s.FailureCalls},
		Quorum: s.Quorum, QuorumWindow: s.QuorumWindow,
		ProbeInterval: s.HealthInterval, ProbeJitter: max(s.ProbeJitter, noJitter), OneProber: s.OneProber,
		Canary: s.Canary, Ramp: s.Ramp,
		HoldDown: s.HoldDown, HoldDownMax: s.HoldDownMax, QuietPeriod: s.QuietPeriod,
		ReplayWait: s.ReplayWait,
	}
}
