package scenario

import (
	"time"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/hotswap"
)

// Rows of the herd's table.
const (
	probesInOutage = "probes of the primary during the outage"
	canaryRequests = "requests on the primary before the cluster went back"
)

// herd lets a busy cluster come back to its primary.
func herd() scenario {
	return scenario{
		name:    "herd",
		problem: "on recovery every instance hits the primary at the same moment",
		plot: []string{
			"The primary hangs, is away for 5 s, and comes back to a busy cluster. On: one instance",
			"probes for all of them, sends 5 real requests as a canary, and the others follow over 3 s.",
		},
		takes: 22 * time.Second,
		cast: cast{instances: 8, callers: 8, think: 200 * time.Millisecond,
			settings: settings{"HEALTH_INTERVAL": "2s"}},
		versions: []version{
			{name: "off", says: "everybody probes, everybody goes back at once", settings: settings{"PROBE_JITTER": "0"}},
			{name: "on", says: "ONE_PROBER=on CANARY=5 RAMP=3s PROBE_JITTER=0.2",
				settings: settings{"ONE_PROBER": "on", "CANARY": "5", "RAMP": "3s", "PROBE_JITTER": "0.2"}},
		},
		play: playHerd,
	}
}

func playHerd(s *stage) {
	s.pause(time.Second)
	s.breaks("timeout")
	s.awaitOn("fallback")
	s.say("All 8 instances are on the fallback.")
	left := time.Now()
	s.pause(5 * time.Second)
	well := s.heals()
	s.extra(probesInOutage, read(s.recorder, func() int { return between(s.recorder.probes, left, well) }))

	s.await("somebody goes back", func() bool { return s.recorder.countDecisions(well, hotswap.CauseRecovery) > 0 })
	s.extra(canaryRequests, s.hitsBeforeReturn(well))
	s.converge(well, "until all are back", "primary")
	s.pause(time.Second)
}

// hitsBeforeReturn counts the requests to the primary from the moment it was well
// to the first decision to go back.
func (s *stage) hitsBeforeReturn(well time.Time) int {
	return read(s.recorder, func() int {
		for _, d := range s.recorder.decisions {
			if !d.at.Before(well) && d.cause == hotswap.CauseRecovery {
				return between(s.recorder.hits, well, d.at)
			}
		}
		return notSeen
	})
}
