package scenario

import "time"

// maintenanceHits is the row of the pin's table that the cure is about.
const maintenanceHits = "requests that met the maintenance"

// pin has an operator take the primary out.
func pin() scenario {
	return scenario{
		name:    "pin",
		problem: "the health checker undoes what an operator decided (the article does not name it)",
		plot: []string{
			"An operator moves the cluster to the fallback before a maintenance of the primary. Two",
			"seconds later the primary goes down, and an instance restarts meanwhile. On: the switch is",
			"pinned, for every instance and across restarts, until the operator releases it.",
		},
		takes: 15 * time.Second,
		cast:  cast{instances: 3, callers: 3, think: 100 * time.Millisecond},
		versions: []version{
			{name: "off", says: `{"target":"fallback"}`},
			{name: "on", says: `{"target":"fallback","pinned":true}, then {"pinned":false}`},
		},
		play: playPin,
	}
}

func playPin(s *stage) {
	pinned := s.version.name == "on"
	s.pause(time.Second)
	if pinned {
		s.operator(1, `{"target":"fallback","pinned":true}`)
	} else {
		s.operator(1, `{"target":"fallback"}`)
	}
	s.awaitOn("fallback")
	s.say("All 3 instances are on the fallback. The primary is still up.")
	s.pause(2 * time.Second)
	down := time.Now()
	s.breaks("timeout")
	s.pause(time.Second)
	s.restart(2)
	s.pause(1500 * time.Millisecond)

	well := s.heals()
	s.extra(maintenanceHits, read(s.recorder, func() int { return between(s.recorder.hits, down, well) }))
	if pinned {
		s.operator(3, `{"pinned":false}`)
	}
	s.converge(well, "until all are back", "primary")
	s.pause(time.Second)
}
