package scenario

import "fmt"

// claims are what each scenario says about its cure. They are about counts, never
// about times.
var claims = map[string]func(c *claim, versions []outcome){
	"split-brain": func(c *claim, v []outcome) {
		off, on := v[0], v[1]
		c.atLeast("off: "+needlessMoves, off.count(needlessMoves), 3)
		c.exactly("on: "+needlessMoves, on.count(needlessMoves), 0)
		c.exactly("on: switches", on.switches, 2)
		c.converges(on)
	},
	"herd": func(c *claim, v []outcome) {
		off, on := v[0], v[1]
		c.below("on: requests in the first second", on.firstSecond, off.firstSecond)
		c.below("on: "+probesInOutage, on.count(probesInOutage), off.count(probesInOutage))
		c.exactly("on: "+canaryRequests, on.count(canaryRequests), 5)
		c.converges(on)
	},
	"hold-down": func(c *claim, v []outcome) {
		off, on := v[0], v[1]
		c.below("on: "+vainSwitches, on.count(vainSwitches), off.count(vainSwitches))
		c.below("on: switches", on.switches, off.switches)
		c.converges(on)
	},
	"decision": func(c *claim, v []outcome) {
		off, on := v[0], v[1]
		c.exactly("off: "+switchesForBlips, off.count(switchesForBlips), 6)
		c.exactly("on: "+switchesForBlips, on.count(switchesForBlips), 0)
		c.exactly("on: switches", on.switches, 2)
		c.converges(on)
	},
	"quorum": func(c *claim, v []outcome) {
		off, on := v[0], v[1]
		c.atLeast("off: "+switchesForOnePath, off.count(switchesForOnePath), 2)
		c.exactly("on: "+switchesForOnePath, on.count(switchesForOnePath), 0)
		c.exactly("on: switches", on.switches, 2)
		c.converges(on)
	},
	"latency": func(c *claim, v []outcome) {
		off, rescue, jitter := v[0], v[1], v[2]
		c.exactly("off: timeouts", off.timeouts, 100)
		c.below("rescue: timeouts", rescue.timeouts, off.timeouts)
		c.below("jitter: timeouts", jitter.timeouts, off.timeouts/4)
		c.exactly("jitter: switches", jitter.switches, 2)
		c.converges(jitter)
	},
	"persistence": func(c *claim, v []outcome) {
		off, on := v[0], v[1]
		c.atLeast("off: "+timeoutsThen, off.count(timeoutsThen), 2)
		c.exactly("on: "+timeoutsThen, on.count(timeoutsThen), 0)
		c.exactly("on: switches", on.switches, 2)
		c.converges(on)
	},
	"pin": func(c *claim, v []outcome) {
		off, on := v[0], v[1]
		c.atLeast("off: "+maintenanceHits, off.count(maintenanceHits), 1)
		c.exactly("on: "+maintenanceHits, on.count(maintenanceHits), 0)
		c.exactly("on: timeouts", on.timeouts, 0)
		c.converges(on)
	},
}

// claim notes what does not hold.
type claim struct{ broken []string }

func (c *claim) exactly(what string, got, want int) {
	c.that(got == want, "%s: %d, want %d", what, got, want)
}

func (c *claim) atLeast(what string, got, least int) {
	c.that(got >= least, "%s: %d, want %d or more", what, got, least)
}

func (c *claim) below(what string, got, bound int) {
	c.that(got < bound, "%s: %d, want less than %d", what, got, bound)
}

func (c *claim) converges(o outcome) {
	c.that(o.converged != notSeen, "the instances did not come together with the cure")
}

func (c *claim) that(holds bool, format string, arguments ...any) {
	if !holds {
		c.broken = append(c.broken, fmt.Sprintf(format, arguments...))
	}
}
