package scenario

import "time"

// switchesForOnePath is the row of the quorum's table that the cure is about.
const switchesForOnePath = "switches of the cluster for the one path"

// quorum cuts one instance's path to the primary, and then everybody's.
func quorum() scenario {
	return scenario{
		name:    "quorum",
		problem: "one instance with a bad path to the primary moves all the healthy ones",
		plot: []string{
			"hotswap-1 alone can't reach the primary for 4 s. After that the primary hangs for everybody.",
			"On: two instances must see failures before the cluster moves. Until then the one that",
			"does uses the fallback for itself. The price: two callers wait out the real outage's timeout.",
		},
		takes: 20 * time.Second,
		cast:  cast{instances: 4, callers: 3, think: 100 * time.Millisecond},
		versions: []version{
			{name: "off", says: "QUORUM=1", settings: settings{"QUORUM": "1"}},
			{name: "on", says: "QUORUM=2 QUORUM_WINDOW=3s", settings: settings{"QUORUM": "2", "QUORUM_WINDOW": "3s"}},
		},
		play: playQuorum,
	}
}

func playQuorum(s *stage) {
	s.pause(time.Second)
	s.say("The path of hotswap-1 to the primary is cut.")
	s.gate(1).block(false)
	s.pause(4 * time.Second)
	s.say("The path of hotswap-1 is well again.")
	s.gate(1).open()
	s.pause(time.Second)
	s.awaitOn("primary")
	s.extra(switchesForOnePath, s.audit().switches)

	s.breaks("timeout")
	s.awaitOn("fallback")
	s.say("All 4 instances are on the fallback.")
	s.pause(time.Second)
	s.converge(s.heals(), "until all are back", "primary")
	s.pause(time.Second)
}
