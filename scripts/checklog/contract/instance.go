package contract

import (
	"fmt"

	"github.com/adapter-hotswap/adapter-hotswap-go/services/hotswap/walkthrough"
)

// seen is a message and where it stood in the log.
type seen struct {
	walkthrough.Message
	line int
	text string
}

// detects says that the instance met the failure itself.
func (s *seen) detects() bool {
	return s.Kind == walkthrough.KindDetected || s.Kind == walkthrough.KindVoting
}

// recovers says that the instance found the primary well itself.
func (s *seen) recovers() bool {
	return s.Kind == walkthrough.KindRecovered || s.Kind == walkthrough.KindRejoining
}

// instance follows one instance of the service through the log. Its rules need
// no other instance, because compose may print the lines of two containers in
// another order than they were written.
type instance struct {
	name     string
	active   string // the adapter it is on; "" until a line tells
	due      *seen  // a line that announced a switch which has not happened yet
	arrived  *seen  // the Switching that brought it to active; nil if not in the log
	answered bool   // since arrived, or since it was first seen
	warned   bool   // it left the primary because another instance told it to

	// joined says that the log does not show where the instance stands among the
	// cycles: it started after the first switch, was cut off, or was first seen in
	// an outage.
	joined bool
	gone   bool    // its process ended and has not printed since
	cycle  int     // the last cycle in which it left the primary
	member *member // its part in that cycle, until it has answered Chien again
}

// read takes the next message of the instance and returns the rule that it
// breaks, or "".
func (i *instance) read(s *seen, c *cycles) string {
	i.gone = false
	switch s.Kind {
	case walkthrough.KindResponse:
		return i.response(s)
	case walkthrough.KindDetected, walkthrough.KindVoting, walkthrough.KindReceived,
		walkthrough.KindRecovered, walkthrough.KindRejoining, walkthrough.KindManual:
		return i.announce(s, c)
	case walkthrough.KindSwitching:
		return i.switching(s)
	case walkthrough.KindReplayed, walkthrough.KindReplayedNothing, walkthrough.KindStartedAlone:
		return i.start(s)
	case walkthrough.KindBusLost:
		i.interrupt("was cut off from the bus")
	case walkthrough.KindRescued:
		if i.member != nil {
			i.member.rescued++
		}
	}
	return ""
}

func (i *instance) response(s *seen) string {
	adapter, known := map[string]string{
		walkthrough.Chien: walkthrough.Primary,
		walkthrough.Chat:  walkthrough.Fallback,
	}[s.Animal]
	switch {
	case !known:
		return "answered an animal that is not of the walkthrough"
	case i.active == "":
		i.firstSeenOn(adapter)
	case adapter != i.active && adapter == walkthrough.Primary:
		return "answered from the primary after it switched away" + i.since() + " and before it switched back"
	case adapter != i.active:
		return "answered from the fallback before it switched to it"
	}
	i.answered = true
	if i.member != nil && i.active == walkthrough.Primary && i.due == nil {
		i.member = nil
	}
	return ""
}

// announce takes a line that a Switching must follow.
func (i *instance) announce(s *seen, c *cycles) string {
	if rule := i.mayAnnounce(s); rule != "" {
		return rule
	}
	if s.To == i.active {
		return "" // an operator confirmed the adapter in force
	}
	if i.active == "" {
		i.firstSeenOn(other(s.To))
	}
	i.due = s
	if s.To == walkthrough.Primary {
		c.goBack(i, s)
		return ""
	}
	i.warned = s.Kind == walkthrough.KindReceived
	return c.leave(i, s)
}

func (i *instance) mayAnnounce(s *seen) string {
	switch {
	case !ofWalkthrough(s.Message):
		return "named adapters other than the walkthrough's"
	case s.detects() && i.due != nil && i.due.Kind == walkthrough.KindReceived:
		return fmt.Sprintf("had been warned in line %d, yet met the failure itself", i.due.line)
	case i.due != nil && i.due.Message == s.Message:
		return fmt.Sprintf("had printed this in line %d and has not switched since", i.due.line)
	case i.due != nil:
		return fmt.Sprintf("has not made the switch to '%s' that line %d announced", i.due.To, i.due.line)
	case s.To == i.active && s.Kind == walkthrough.KindManual:
		return ""
	case s.To == i.active && s.detects() && i.warned:
		return "had been warned and had switched away" + i.since() + ", yet met the failure itself"
	case s.To == i.active:
		return fmt.Sprintf("was on '%s' already%s", i.active, i.since())
	case i.arrived != nil && !i.answered:
		return fmt.Sprintf("answered nothing from '%s'%s", i.active, i.since())
	}
	return ""
}

func (i *instance) switching(s *seen) string {
	switch {
	case !ofWalkthrough(s.Message) || s.From == s.To:
		return "named adapters other than the walkthrough's"
	case i.active == "":
		i.firstSeenOn(s.From)
		i.joined = true
	case s.From != i.active:
		return fmt.Sprintf("was on '%s' already%s", i.active, i.since())
	case i.due == nil:
		return "switched with no line before that says why"
	}
	i.active, i.arrived, i.due, i.answered = s.To, s, nil, false
	return ""
}

// start takes the one line that an instance prints when its process starts.
func (i *instance) start(s *seen) string {
	if !ofWalkthrough(s.Message) {
		return "named an adapter other than the walkthrough's"
	}
	fromTheBeginning := i.active == "" && !i.joined && s.Kind == walkthrough.KindReplayedNothing
	i.interrupt("started")
	i.joined = !fromTheBeginning
	i.active, i.arrived, i.due, i.answered = s.To, nil, nil, false
	i.warned = s.To == walkthrough.Fallback
	return ""
}

// exit takes note that the process ended.
func (i *instance) exit() {
	i.interrupt("stopped")
	i.active, i.arrived, i.due, i.answered = "", nil, nil, false
	i.gone = true
}

// interrupt ends the instance's part in the cycle: what comes after is judged
// again from its next switch away on.
func (i *instance) interrupt(why string) {
	if i.member != nil {
		i.member.interrupted = why
		i.member = nil
	}
	i.joined = true
}

func (i *instance) firstSeenOn(adapter string) {
	i.active = adapter
	if adapter == walkthrough.Fallback {
		i.joined = true
	}
}

// since says where the log shows the switch to the active adapter.
func (i *instance) since() string {
	if i.arrived == nil {
		return ""
	}
	return fmt.Sprintf(" (line %d)", i.arrived.line)
}

func other(adapter string) string {
	if adapter == walkthrough.Primary {
		return walkthrough.Fallback
	}
	return walkthrough.Primary
}

// ofWalkthrough says whether the message names the two adapters of the
// walkthrough, in a direction that its kind can have.
func ofWalkthrough(m walkthrough.Message) bool {
	known := func(a string) bool { return a == walkthrough.Primary || a == walkthrough.Fallback }
	switch m.Kind {
	case walkthrough.KindDetected, walkthrough.KindVoting:
		return m.From == walkthrough.Primary && m.To == walkthrough.Fallback
	case walkthrough.KindRecovered, walkthrough.KindRejoining:
		return m.To == walkthrough.Primary
	case walkthrough.KindSwitching:
		return known(m.From) && known(m.To)
	default:
		return known(m.To)
	}
}
