package scenario

import (
	"time"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/hotswap"
)

// Rows of the latency's table.
const (
	detectors   = "instances that detected by themselves"
	broadcasts  = "broadcasts on the bus"
	rescues     = "calls in flight that were rescued"
	longestWait = "longest wait of a caller"
	slowest     = "slowest warning, from decision to switched"
)

// latency has every caller of every instance hang at the same moment.
func latency() scenario {
	return scenario{
		name:    "latency",
		problem: "a call that is in flight when the warning arrives still waits out its timeout",
		plot: []string{
			"The primary hangs, and 100 callers ask at the same moment, 10 at each instance.",
			"Off is a stand-in, since the service always rescues: a call finishes on the adapter on which",
			"it began. With the rescue it is cut short and asked again. But callers that hang together",
			"time out together, before any warning; a jitter on the timeout lets a few be first.",
		},
		takes: 14 * time.Second,
		cast:  cast{instances: 10},
		versions: []version{
			{name: "off", says: "no rescue of calls in flight, as in the article (stand-in)", standIn: noRescue},
			{name: "rescue", says: "calls in flight are rescued"},
			{name: "jitter", says: "rescue and TIMEOUT_JITTER=500ms", settings: settings{"TIMEOUT_JITTER": "500ms"}},
		},
		play: playLatency,
	}
}

func playLatency(s *stage) {
	s.pause(time.Second)
	s.burst(1) // opens the connections
	s.breaks("timeout")
	broke := time.Now()
	s.say("100 callers ask at once.")
	s.burst(10)
	s.awaitOn("fallback")
	s.say("All callers have their answer; all 10 instances are on the fallback.")
	s.pause(time.Second)
	s.converge(s.heals(), "until all are back", "primary")
	s.burst(1)

	s.extra(detectors, s.recorder.countDecisions(broke, hotswap.CauseFailure))
	s.extra(broadcasts, s.audit().broadcasts)
	s.extra(rescues, read(s.recorder, func() int { return s.recorder.rescues }))
	s.extra(longestWait, read(s.recorder, func() time.Duration { return s.recorder.longest }))
	s.extra(slowest, s.slowestWarning())
}

func (s *stage) slowestWarning() time.Duration {
	return read(s.recorder, func() time.Duration {
		var most time.Duration
		for _, m := range s.recorder.moves {
			if m.cause == hotswap.CauseReceived {
				most = max(most, m.latency)
			}
		}
		return most
	})
}
