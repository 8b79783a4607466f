package contract_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/adapter-hotswap/adapter-hotswap-go/scripts/checklog/contract"
	"github.com/adapter-hotswap/adapter-hotswap-go/services/hotswap/walkthrough"
)

// Logs that tell the story of the walkthrough, and what the checker says of each
// cycle.
func TestGoodLogs(t *testing.T) {
	const whole1 = "cycle 1: detected by hotswap-1 (timeout); 1 instance warned in time; 1 timeout; 1 call in flight rescued; recovery seen by hotswap-2"
	whole2 := strings.Replace(whole1, "cycle 1", "cycle 2", 1)
	tests := []struct {
		name string
		opts contract.Options
		log  []string
		want []string
	}{
		{"two cycles", contract.Options{},
			join(bothSay(chien), oneDetect, bothSay(chien), oneDetect, bothSay(chien)),
			[]string{whole1, whole2}},
		{"the other instance detects, and another failure", contract.Options{},
			join(bothSay(chien), says(1, warned, toFallback, chat), says(2, refused, toFallback, chat), says(1, goesBack...), says(2, isToldSo...), bothSay(chien)),
			[]string{"cycle 1: detected by hotswap-2 (connection refused); 1 instance warned in time; 0 timeouts; recovery seen by hotswap-1"}},
		{"both detect before either is warned, both see the recovery", contract.Options{MaxTimeouts: 2},
			join(bothSay(chien), bothSay(detects...), bothSay(goesBack...), bothSay(chien)),
			[]string{"cycle 1: detected by hotswap-1 (timeout), hotswap-2 (timeout); 0 instances warned in time; 2 timeouts; recovery seen by hotswap-1, hotswap-2"}},
		{"the warning is printed before the detection that caused it", contract.Options{},
			join(bothSay(chien), says(2, isWarned...), says(1, detects...), says(1, isToldSo...), says(2, goesBack...), bothSay(chien)),
			[]string{whole1}},
		{"compose prints the past of each container in one block", contract.Options{},
			join(
				says(2, chien), says(2, isWarned...), says(2, goesBack...), says(2, chien), says(2, isWarned...), says(2, goesBack...), says(2, chien),
				says(1, chien), says(1, detects...), says(1, isToldSo...), says(1, chien), says(1, detects...), says(1, isToldSo...), says(1, chien)),
			[]string{whole1, whole2}},
		{"in one block each, from the start on a log without a switch", contract.Options{},
			join(
				says(2, onNothing, chien), says(2, isWarned...), says(2, goesBack...), says(2, chien),
				says(1, onNothing, chien), says(1, detects...), says(1, isToldSo...), says(1, chien)),
			[]string{whole1}},
		{"an answer that was under way is printed between announcement and switch", contract.Options{},
			join(bothSay(chien), says(1, detects...), says(2, warned, chien, toFallback, rescued, chat), says(2, healthy, chat, toPrimary), says(1, isToldSo...), bothSay(chien)),
			[]string{whole1}},
		{"a late answer of the primary is marked as such", contract.Options{},
			join(bothSay(chien), says(1, detects...), says(2, warned, toFallback, walkthrough.LateResponse("Chien"), rescued, chat), says(2, goesBack...), says(1, isToldSo...), bothSay(chien)),
			[]string{whole1}},
		{"switched by hand, both ways, and once more to where it is", contract.Options{},
			join(bothSay(chien),
				says(1, walkthrough.Manual("primary"), walkthrough.Manual("fallback"), toFallback, chat), says(2, warned, toFallback, chat),
				says(2, walkthrough.Manual("primary"), toPrimary), says(1, isToldSo...), bothSay(chien)),
			[]string{"cycle 1: switched by hand at hotswap-1; 1 instance warned in time; 0 timeouts"}},
		{"the broker is away: each decides alone", contract.Options{},
			join(bothSay(chien, walkthrough.BusLost()), bothSay(detects...), bothSay(goesBack...), bothSay(walkthrough.BusConnected(), chien)),
			[]string{"cycle 1: detected by hotswap-1 (timeout), hotswap-2 (timeout); 0 instances warned in time; 2 timeouts; recovery seen by hotswap-1, hotswap-2"}},
		{"a quorum of two: both leave by themselves and vote", contract.Options{Instances: 3},
			join(bothSay(chien), says(3, chien),
				bothSay(walkthrough.Voting("primary", "timeout", "fallback"), toFallback, chat), says(3, isWarned...),
				says(1, walkthrough.Rejoining("primary"), toPrimary), says(2, goesBack...), says(3, isToldSo...), bothSay(chien), says(3, chien)),
			[]string{"cycle 1: detected by hotswap-1 (timeout), hotswap-2 (timeout); 1 instance warned in time; 2 timeouts; 1 call in flight rescued; recovery seen by hotswap-1, hotswap-2"}},
		{"the log is picked up in an outage", contract.Options{},
			join(says(2, chat), says(2, goesBack...), says(1, isToldSo...), bothSay(chien), oneDetect, bothSay(chien)),
			[]string{whole1}},
		{"the log is picked up between a warning and its switch", contract.Options{},
			join(says(2, toFallback, chat), says(1, chat), says(2, goesBack...), says(1, isToldSo...), bothSay(chien), oneDetect, bothSay(chien)),
			[]string{whole1}},
		{"the log is picked up between the switches of the two", contract.Options{},
			join(says(2, chien), says(1, chat), says(2, isWarned...), says(2, goesBack...), says(1, isToldSo...), bothSay(chien), oneDetect, bothSay(chien)),
			[]string{"cycle 1: not counted: hotswap-1 joined in the middle", whole2}},
		{"the log is picked up at the switch of one, before the warning of the other", contract.Options{},
			join(says(2, chien), says(1, toFallback, chat), says(2, isWarned...), says(2, goesBack...), says(1, isToldSo...), bothSay(chien), oneDetect, bothSay(chien)),
			[]string{"cycle 1: not counted: hotswap-1 joined in the middle", whole2}},
		{"an instance joins in an outage", contract.Options{},
			join(says(1, chien), says(1, detects...), says(2, onFallback, chat), says(2, goesBack...), says(1, isToldSo...), bothSay(chien), oneDetect, bothSay(chien)),
			[]string{"cycle 1: not counted: hotswap-2 joined in the middle", whole2}},
		{"a third instance joins between two cycles and detects first", contract.Options{},
			join(bothSay(chien), oneDetect, bothSay(chien), says(3, onPrimary, chien),
				says(3, detects...), bothSay(warned, toFallback, chat), bothSay(isToldSo...), says(3, goesBack...), bothSay(chien), says(3, chien)),
			[]string{whole1, "cycle 2: detected by hotswap-3 (timeout); 2 instances warned in time; 1 timeout; recovery seen by hotswap-3"}},
		{"an instance is restarted in an outage", contract.Options{},
			join(bothSay(chien), says(2, isWarned...), says(1, timeout, toFallback, onFallback, chat), says(2, goesBack...), says(1, isToldSo...), bothSay(chien), oneDetect, bothSay(chien)),
			[]string{"cycle 1: not counted: hotswap-1 started", whole2}},
		{"an instance is restarted on a blank log while all is well", contract.Options{},
			join(bothSay(chien), says(1, onNothing, chien), oneDetect, bothSay(chien)),
			[]string{whole1}},
		{"an instance is restarted and meets the failure before it has answered", contract.Options{},
			join(bothSay(chien), says(1, walkthrough.StartedAlone("primary")), oneDetect, bothSay(chien), oneDetect, bothSay(chien)),
			[]string{"cycle 1: not counted: hotswap-1 joined in the middle", whole2}},
		{"an instance is away for a whole outage and detects the next", contract.Options{},
			join(bothSay(chien), says(3, chien), oneDetect, bothSay(chien), says(3, onPrimary, chien),
				says(3, detects...), bothSay(warned, toFallback, chat), bothSay(isToldSo...), says(3, goesBack...), bothSay(chien), says(3, chien)),
			[]string{"cycle 1: not counted: hotswap-3 joined in the middle", "cycle 2: detected by hotswap-3 (timeout); 2 instances warned in time; 1 timeout; recovery seen by hotswap-3"}},
		{"an instance ended and is seen again in the middle", contract.Options{},
			join(bothSay(chien), []string{"hotswap-1 exited with code 1"}, oneDetect, bothSay(chien), oneDetect, bothSay(chien)),
			[]string{"cycle 1: not counted: hotswap-1 joined in the middle", whole2}},
		{"all instances are restarted and placed anew", contract.Options{},
			join(bothSay(chien), oneDetect, bothSay(chien), bothSay(onPrimary, chien), oneDetect, bothSay(chien)),
			[]string{whole1, whole2}},
		{"an instance is stopped for good, with compose saying so", contract.Options{Instances: 1},
			join(bothSay(chien), oneDetect, []string{"hotswap-2 exited with code 137", "rabbitmq-1 exited with code 0"}, says(1, chien),
				says(1, detects...), says(1, goesBack...), says(1, chien)),
			[]string{"cycle 1: not counted: hotswap-2 stopped", "cycle 2: detected by hotswap-1 (timeout); 0 instances warned in time; 1 timeout; recovery seen by hotswap-1"}},
		{"one instance without prefixes, of which the others are not known", contract.Options{},
			join([]string{chien}, isWarned, isToldSo, []string{chien}),
			[]string{"cycle 1: 1 instance warned in time; 0 timeouts; 1 call in flight rescued"}},
		{"lines of other services and of other kinds", contract.Options{},
			join([]string{"Attaching to hotswap-1, hotswap-2", "hotswap-1  | listening on :8080", "primary-1  | Response: Mouton", "hotswap-1  |", ""},
				bothSay(chien), []string{"fallback-1 | " + chien, "primary-1  | FAULT: timeout for 15s"}, oneDetect, bothSay(chien)),
			[]string{whole1}},
		{"only so many cycles as are asked for are read", contract.Options{Cycles: 1},
			join(bothSay(chien), oneDetect, bothSay(chien), says(1, toFallback, toFallback, toFallback)),
			[]string{whole1}},
		{"cycles in a row are counted from the last that was not whole", contract.Options{Cycles: 1},
			join(bothSay(chien), says(2, isWarned...), says(1, timeout, toFallback, onFallback, chat), says(2, goesBack...), says(1, isToldSo...), bothSay(chien), oneDetect, bothSay(chien)),
			[]string{"cycle 1: not counted: hotswap-1 started", whole2}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, _, err := check(tt.opts, tt.log)
			if err != nil {
				t.Error(err)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
			}
		})
	}
}

// Logs that break a rule: where, who, and what the checker says of it.
func TestBrokenLogs(t *testing.T) {
	tests := []struct {
		name        string
		opts        contract.Options
		log         []string
		cycle, line int
		instance    string
		rule        string
	}{
		{"an instance that was warned meets the failure", contract.Options{},
			join(bothSay(chien), says(1, detects...), says(2, warned, timeout)),
			1, 7, "hotswap-2", "had been warned in line 6, yet met the failure itself"},
		{"an instance that was warned and has switched meets the failure", contract.Options{},
			join(bothSay(chien), says(1, detects...), says(2, warned, toFallback, chat, refused)),
			1, 9, "hotswap-2", "had been warned and had switched away (line 7), yet met the failure itself"},
		{"an instance that started on the fallback meets the failure", contract.Options{},
			join(says(1, chien), says(1, detects...), says(2, onFallback, timeout)),
			1, 6, "hotswap-2", "had been warned and had switched away, yet met the failure itself"},
		{"the detector detects again", contract.Options{},
			join(bothSay(chien), says(1, detects...), says(1, timeout)),
			1, 6, "hotswap-1", "was on 'fallback' already (line 4)"},
		{"a detection is printed twice", contract.Options{},
			join(bothSay(chien), says(1, timeout, timeout)),
			1, 4, "hotswap-1", "had printed this in line 3 and has not switched since"},
		{"the primary answers after the switch away", contract.Options{},
			join(bothSay(chien), says(1, detects...), says(1, chien)),
			1, 6, "hotswap-1", "answered from the primary after it switched away (line 4) and before it switched back"},
		{"the primary answers after a start on the fallback", contract.Options{},
			join(bothSay(chien), says(1, onFallback, chien)),
			1, 4, "hotswap-1", "answered from the primary after it switched away and before it switched back"},
		{"the fallback answers before the switch away", contract.Options{},
			join(bothSay(chien), says(1, timeout, chat)),
			1, 4, "hotswap-1", "answered from the fallback before it switched to it"},
		{"the fallback answers after the switch back", contract.Options{},
			join(bothSay(chien), oneDetect, says(2, chat)),
			1, 14, "hotswap-2", "answered from the fallback before it switched to it"},
		{"a warning is followed by no switch", contract.Options{},
			join(bothSay(chien), says(2, warned, chien, told)),
			1, 5, "hotswap-2", "has not made the switch to 'fallback' that line 3 announced"},
		{"the detector is warned of its own event", contract.Options{},
			join(bothSay(chien), says(1, detects...), says(1, warned)),
			1, 6, "hotswap-1", "was on 'fallback' already (line 4)"},
		{"a warning is repeated", contract.Options{},
			join(bothSay(chien), says(2, isWarned...), says(2, warned)),
			1, 7, "hotswap-2", "was on 'fallback' already (line 4)"},
		{"a switch is repeated", contract.Options{},
			join(bothSay(chien), says(1, timeout, toFallback, toFallback)),
			1, 5, "hotswap-1", "was on 'fallback' already (line 4)"},
		{"a switch has no cause", contract.Options{},
			join(bothSay(chien), says(1, toFallback)),
			1, 3, "hotswap-1", "switched with no line before that says why"},
		{"a switch goes the wrong way", contract.Options{},
			join(bothSay(chien), says(1, timeout, toPrimary)),
			1, 4, "hotswap-1", "was on 'primary' already"},
		{"a switch names an unknown adapter", contract.Options{},
			join(bothSay(chien), says(1, timeout, walkthrough.Switching("primary", "cache"))),
			1, 4, "hotswap-1", "named adapters other than the walkthrough's"},
		{"a switch leads nowhere", contract.Options{},
			join(bothSay(chien), says(1, timeout, walkthrough.Switching("primary", "primary"))),
			1, 4, "hotswap-1", "named adapters other than the walkthrough's"},
		{"the fallback is found failing", contract.Options{},
			join(bothSay(chien), says(1, walkthrough.Detected("fallback", "timeout", "primary"))),
			1, 3, "hotswap-1", "named adapters other than the walkthrough's"},
		{"a detection names an unknown target", contract.Options{},
			join(bothSay(chien), says(1, walkthrough.Detected("primary", "timeout", "cache"))),
			1, 3, "hotswap-1", "named adapters other than the walkthrough's"},
		{"an instance starts on an unknown adapter", contract.Options{},
			join(bothSay(chien), says(1, walkthrough.Replayed("cache"))),
			1, 3, "hotswap-1", "named an adapter other than the walkthrough's"},
		{"an unknown animal", contract.Options{},
			join(bothSay(chien), says(1, walkthrough.Response("Mouton"))),
			1, 3, "hotswap-1", "answered an animal that is not of the walkthrough"},
		{"the primary is found well while it is in use", contract.Options{},
			join(bothSay(chien), says(1, healthy)),
			1, 3, "hotswap-1", "was on 'primary' already"},
		{"the recovery is printed by an instance that had been told", contract.Options{},
			join(bothSay(chien), says(1, detects...), says(2, isWarned...), says(2, goesBack...), says(1, told, healthy)),
			1, 13, "hotswap-1", "has not made the switch to 'primary' that line 12 announced"},
		{"no Chat in the outage", contract.Options{},
			join(bothSay(chien), says(1, timeout, toFallback, healthy)),
			1, 5, "hotswap-1", "answered nothing from 'fallback' (line 4)"},
		{"no Chien after the switch back", contract.Options{},
			join(bothSay(chien), oneDetect, says(1, timeout)),
			1, 14, "hotswap-1", "answered nothing from 'primary' (line 13)"},
		{"nobody met the failure", contract.Options{},
			join(bothSay(chien), bothSay(warned, toFallback, chat), bothSay(goesBack...), bothSay(chien)),
			1, 3, "hotswap-1", "was warned, but no instance printed that it met a failure"},
		{"nobody saw the recovery", contract.Options{},
			join(bothSay(chien), bothSay(detects...), bothSay(isToldSo...), bothSay(chien)),
			1, 9, "hotswap-1", "was told to go back, but no instance printed a HEALTHCHECK"},
		{"one more timeout than is allowed", contract.Options{MaxTimeouts: 1},
			join(bothSay(chien), says(1, detects...), says(2, timeout)),
			1, 6, "hotswap-2", "is number 2 to meet the failure in this outage, at most 1 may (the first is in line 3)"},
		{"the second cycle is named", contract.Options{},
			join(bothSay(chien), oneDetect, bothSay(chien), says(1, toFallback)),
			2, 16, "hotswap-1", "switched with no line before that says why"},
		{"the cycle of an instance that was restarted in the outage", contract.Options{},
			join(bothSay(chien), oneDetect, bothSay(chien), says(1, timeout, toFallback, chat, onFallback, chien)),
			2, 20, "hotswap-1", "answered from the primary after it switched away and before it switched back"},
		{"the cycle of an instance that was restarted before the outage", contract.Options{},
			join(bothSay(chien), oneDetect, bothSay(chien), says(1, onPrimary, chat)),
			2, 17, "hotswap-1", "answered from the fallback before it switched to it"},
		{"a log without prefixes", contract.Options{},
			[]string{chien, timeout, toFallback, chien},
			1, 4, "", "answered from the primary after it switched away (line 3) and before it switched back"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, checker, err := check(tt.opts, tt.log)
			var v *contract.Violation
			if !errors.As(err, &v) {
				t.Fatalf("passed, or failed otherwise: %v", err)
			}
			if v.Cycle != tt.cycle || v.Line != tt.line || v.Instance != tt.instance || !strings.HasPrefix(v.Rule, tt.rule) {
				t.Errorf("got  %s\nwant cycle %d, line %d, %s %s", v, tt.cycle, tt.line, tt.instance, tt.rule)
			}
			if !strings.HasSuffix(tt.log[v.Line-1], v.Text) {
				t.Errorf("line %d is %q, not %q", v.Line, tt.log[v.Line-1], v.Text)
			}
			if again := checker.Line(tt.log[0]); again != err {
				t.Errorf("the line after the violation gave %v", again)
			}
		})
	}
}

// A violation that follows from a misspelt line points at that line.
func TestViolationNamesTheNearMiss(t *testing.T) {
	_, _, err := check(contract.Options{}, join(bothSay(chien),
		says(1, "EVENT: Primary adapter timeout - broadcasting switch to fallback", toFallback)))
	want := `cycle 1, line 4: "EVENT: Switching adapter from 'primary' to 'fallback'": hotswap-1 switched with no line before that says why; ` +
		`line 3 is not to the letter: "EVENT: Primary adapter timeout - broadcasting switch to fallback"`
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

// Logs that break no rule but end too early, and what is said of them.
func TestShortLogs(t *testing.T) {
	tests := []struct {
		name string
		opts contract.Options
		log  []string
		want string
	}{
		{"empty", contract.Options{}, nil, `no line of service "hotswap" in it`},
		{"another service", contract.Options{Service: "animals"}, bothSay(chien), `no line of service "animals" in it`},
		{"a compose that only says that a container ended", contract.Options{}, []string{"hotswap-1 exited with code 0"}, `no line of service "hotswap" in it`},
		{"one instance of two", contract.Options{}, join(says(1, chien), says(1, detects...), says(1, goesBack...), says(1, chien)), "1 instance seen, at least 2 must take part (-instances)"},
		{"before the first Chien after the switch back", contract.Options{}, join(bothSay(chien), oneDetect, says(1, chien)), "0 whole cycles in a row, want 1"},
		{"one cycle of two", contract.Options{Cycles: 2}, join(bothSay(chien), oneDetect, bothSay(chien)), "1 whole cycle in a row, want 2"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := check(tt.opts, tt.log)
			if !errors.Is(err, contract.ErrShort) || !strings.HasSuffix(err.Error(), tt.want) {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}
