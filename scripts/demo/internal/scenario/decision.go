package scenario

import "time"

// switchesForBlips is the row of the decision's table that the cure is about.
const switchesForBlips = "switches of the cluster for 3 blips"

// decision has one request fail now and then, and then the primary.
func decision() scenario {
	return scenario{
		name:    "decision",
		problem: "one failed request, a blip, moves the whole cluster",
		plot: []string{
			"Three times, one single request of hotswap-1 fails on a healthy primary. Then the primary",
			"hangs in earnest. On: three failures in a row decide, and a request that fails before that",
			"is answered by the fallback for itself alone. The price: more callers wait out the timeout",
			"when the outage is real.",
		},
		takes: 19 * time.Second,
		cast:  cast{instances: 4, callers: 4, think: 100 * time.Millisecond},
		versions: []version{
			{name: "off", says: "FAILURES=1", settings: settings{"FAILURES": "1"}},
			{name: "on", says: "FAILURES=3", settings: settings{"FAILURES": "3"}},
		},
		play: playDecision,
	}
}

func playDecision(s *stage) {
	for range 3 {
		s.pause(time.Second)
		s.say("A blip: the next request of hotswap-1 to the primary fails.")
		s.gate(1).spoil()
		s.pause(time.Second)
		s.awaitOn("primary")
	}
	s.extra(switchesForBlips, s.audit().switches)

	s.breaks("timeout")
	s.awaitOn("fallback")
	s.say("All 4 instances are on the fallback.")
	s.pause(time.Second)
	s.converge(s.heals(), "until all are back", "primary")
	s.pause(time.Second)
}
