package scenario

import "time"

// Rows of the persistence's table.
const (
	startedOn    = "adapter after the restart"
	timeoutsThen = "timeouts suffered because of the restarts"
)

// persistence restarts instances in the middle of an outage.
func persistence() scenario {
	return scenario{
		name:    "persistence",
		problem: "an instance that restarts during an outage begins on the primary",
		plot: []string{
			"The primary hangs and the cluster moves to the fallback. Then hotswap-3 restarts, and after",
			"that all three at once. Off is a stand-in, since the service always replays the log: each",
			"instance has a queue of its own that retains nothing.",
		},
		takes: 13 * time.Second,
		cast:  cast{instances: 3, callers: 3, think: 100 * time.Millisecond},
		versions: []version{
			{name: "off", says: "nothing is retained, as in the article (stand-in)", standIn: ownQueues},
			{name: "on", says: "the retained log is replayed before the instance serves"},
		},
		play: playPersistence,
	}
}

func playPersistence(s *stage) {
	s.pause(time.Second)
	s.breaks("timeout")
	s.awaitOn("fallback")
	s.say("All 3 instances are on the fallback.")
	s.pause(time.Second / 2)

	before := s.timeouts()
	s.restart(3)
	s.extra(startedOn, s.on(3))
	s.say("hotswap-3 is ready, on the %s.", s.on(3))
	s.awaitOn("fallback")
	s.pause(time.Second / 2)
	s.restart(1, 2, 3)
	s.say("All 3 are ready, on: %s, %s, %s.", s.on(1), s.on(2), s.on(3))
	s.awaitOn("fallback")
	s.pause(time.Second / 2)
	s.extra(timeoutsThen, s.timeouts()-before)

	s.converge(s.heals(), "until all are back", "primary")
	s.pause(time.Second)
}
