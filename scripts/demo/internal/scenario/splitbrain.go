package scenario

import "time"

// The row of the split-brain table that the cure is about.
const needlessMoves = "moves of healthy instances after the return"

// splitBrain cuts one instance off, lets the others decide without it, and brings
// it back.
func splitBrain() scenario {
	return scenario{
		name:    "split-brain",
		problem: "an instance that was cut off returns with a decision that is out of date",
		plot: []string{
			"hotswap-4 loses its way to the bus and to the primary, and decides alone. Meanwhile the",
			"others go to the fallback and come back. Then hotswap-4 returns, and its decision with it.",
			"Off is a stand-in, since the service always has the ordered log: each instance has a queue",
			"of its own that retains nothing, and events don't say on which state they were decided.",
		},
		takes: 13 * time.Second,
		cast:  cast{instances: 4, callers: 3, think: 100 * time.Millisecond},
		versions: []version{
			{name: "off", says: "a queue for each instance, as in the article (stand-in)", standIn: ownQueues},
			{name: "on", says: "the ordered log with compare-and-swap"},
		},
		play: playSplitBrain,
	}
}

func playSplitBrain(s *stage) {
	s.pause(time.Second)
	s.say("hotswap-4 is cut off from the bus and from the primary.")
	s.gate(4).block(false)
	s.cut(4)
	s.awaitOn("fallback", 4)
	s.say("GET /readyz at hotswap-4 says: %s", s.ask(4, "/readyz"))

	s.breaks("error")
	s.awaitOn("fallback", 1, 2, 3)
	s.pause(time.Second)
	s.heals()
	s.awaitOn("primary", 1, 2, 3)
	s.pause(time.Second / 2)

	s.say("hotswap-4 is back. The others are on the healthy primary.")
	before := time.Now()
	back := s.mend(4)
	s.gate(4).open()
	s.pause(2500 * time.Millisecond)
	moves := s.recorder.countMoves(before, func(m move) bool { return m.instance != 3 })
	s.say("Since then hotswap-1, 2 and 3 have moved %d times.", moves)
	s.converge(back, "until all agree after the return", "primary")
	s.extra(needlessMoves, moves)
}
