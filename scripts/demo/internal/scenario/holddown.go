package scenario

import "time"

// vainSwitches is the row of the hold-down's table that the cure is about.
const vainSwitches = "switches of the cluster while it hung"

// holdDown has a primary whose health check lies.
func holdDown() scenario {
	return scenario{
		name:    "hold-down",
		problem: "a primary that says UP and hangs makes the cluster flap",
		plot: []string{
			"For 8 s GET /animal of the primary hangs while GET /health says UP. Every return fails.",
			"On: the time away after a return that failed doubles, from 1 s to at most 4 s.",
			"The price is in the last wait: the cluster stays away although the primary is well.",
		},
		takes: 24 * time.Second,
		cast: cast{instances: 2, callers: 3, think: 100 * time.Millisecond,
			settings: settings{"TIMEOUT": "500ms", "HEALTH_INTERVAL": "500ms"}},
		versions: []version{
			{name: "off", says: "back as soon as the health check says UP"},
			{name: "on", says: "HOLD_DOWN=1s HOLD_DOWN_MAX=4s QUIET_PERIOD=10s",
				settings: settings{"HOLD_DOWN": "1s", "HOLD_DOWN_MAX": "4s", "QUIET_PERIOD": "10s"}},
		},
		play: playHoldDown,
	}
}

func playHoldDown(s *stage) {
	s.pause(time.Second)
	s.say("The primary hangs, and its health check says UP.")
	for _, g := range s.gates {
		g.block(true)
	}
	s.pause(8 * time.Second)
	s.extra(vainSwitches, s.audit().switches)

	s.say("The primary is well again.")
	s.wellAt = time.Now()
	for _, g := range s.gates {
		g.open()
	}
	well := s.wellAt
	s.pause(time.Second / 2)
	s.converge(well, "until all are back", "primary")
	s.pause(time.Second)
}
