package contract_test

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/adapter-hotswap/adapter-hotswap-go/scripts/checklog/contract"
)

// The walkthrough of one instance as a regular language, one letter a message:
// c Chien, D detected, R received (to the fallback), S switch away, h Chat,
// H healthcheck, r received (to the primary), s switch back. An answer that was
// under way may come between an announcement and its switch.
var language = regexp.MustCompile(`^(c+[DR]c*Sh+[Hr]h*s)*(c+([DR]c*(S(h+([Hr]h*)?)?)?)?)?$`)

var letters = map[rune]string{
	'c': chien, 'D': timeout, 'R': warned, 'S': toFallback,
	'h': chat, 'H': healthy, 'r': told, 's': toPrimary,
}

// spell writes the log of an instance whose story is given in letters.
func spell(instance int, story string) []string {
	var messages []string
	for _, letter := range story {
		messages = append(messages, letters[letter])
	}
	return says(instance, messages...)
}

// decided draws who decides, at least one of n.
func decided(t *rapid.T, n int, label string) []bool {
	who := rapid.SliceOfN(rapid.Bool(), n, n).Draw(t, label)
	who[rapid.IntRange(0, n-1).Draw(t, label+" first")] = true
	return who
}

func answers(t *rapid.T, letter string, from int) string {
	return strings.Repeat(letter, rapid.IntRange(from, 3).Draw(t, letter))
}

// stories draws what each of n instances prints in so many cycles.
func stories(t *rapid.T, n, cycles int) []string {
	all := make([]string, n)
	for range cycles {
		detects, recovers := decided(t, n, "detects"), decided(t, n, "recovers")
		for i := range all {
			away, back := "R", "r"
			if detects[i] {
				away = "D"
			}
			if recovers[i] {
				back = "H"
			}
			all[i] += answers(t, "c", 1) + away + answers(t, "c", 0) + "S" + answers(t, "h", 1) + back + answers(t, "h", 0) + "s"
		}
	}
	for i := range all {
		all[i] += answers(t, "c", 1)
	}
	return all
}

// interleave mixes the logs, each in its own order.
func interleave(t *rapid.T, logs [][]string) []string {
	logs = slices.Clone(logs)
	var mixed []string
	for {
		logs = slices.DeleteFunc(logs, func(l []string) bool { return len(l) == 0 })
		if len(logs) == 0 {
			return mixed
		}
		i := rapid.IntRange(0, len(logs)-1).Draw(t, "next")
		n := rapid.IntRange(1, len(logs[i])).Draw(t, "lines")
		mixed = append(mixed, logs[i][:n]...)
		logs[i] = logs[i][n:]
	}
}

func spellAll(all []string) [][]string {
	logs := make([][]string, len(all))
	for i, story := range all {
		logs[i] = spell(i+1, story)
	}
	return logs
}

// However compose mixes the lines of the containers, a log that tells the story
// passes, with every cycle counted.
func TestAnyInterleavingPasses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, cycles := rapid.IntRange(2, 4).Draw(t, "instances"), rapid.IntRange(1, 4).Draw(t, "cycles")
		log := interleave(t, spellAll(stories(t, n, cycles)))
		_, checker, err := check(contract.Options{Instances: n}, log)
		if err != nil || checker.Whole() != cycles {
			t.Fatalf("%d cycles, %v\n%s", checker.Whole(), err, strings.Join(log, "\n"))
		}
	})
}

// mutate deletes, repeats or moves one letter. The first stays, as it is what
// shows that the log has the instance from its start.
func mutate(t *rapid.T, story string) string {
	if len(story) < 3 {
		return story
	}
	at := rapid.IntRange(1, len(story)-1).Draw(t, "at")
	letter, rest := story[at:at+1], story[:at]+story[at+1:]
	switch rapid.SampledFrom([]string{"delete", "repeat", "move"}).Draw(t, "how") {
	case "delete":
		return rest
	case "repeat":
		return story[:at] + letter + story[at:]
	default:
		to := rapid.IntRange(1, len(rest)).Draw(t, "to")
		return rest[:to] + letter + rest[to:]
	}
}

// expected is the verdict on the stories by the language above, and by the rule
// that somebody decides in each cycle that all have been through.
func expected(all []string) (whole int, broken bool) {
	whole = len(all[0])
	for _, story := range all {
		broken = broken || !language.MatchString(story)
		whole = min(whole, strings.Count(story, "sc"))
	}
	if broken {
		return 0, true
	}
	for n := range whole {
		if !somebody(all, n, "DR", 'D') || !somebody(all, n, "Hr", 'H') {
			return 0, true
		}
	}
	return whole, false
}

// somebody says whether the nth letter of set is the wanted one in any story.
func somebody(all []string, n int, set string, want rune) bool {
	return slices.ContainsFunc(all, func(story string) bool {
		only := strings.Map(func(r rune) rune {
			if strings.ContainsRune(set, r) {
				return r
			}
			return -1
		}, story)
		return rune(only[n]) == want
	})
}

// A line that is missing, repeated or in the wrong place is found, unless the log
// still tells the story.
func TestMutatedLogsAreJudgedAsTheLanguageSays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, cycles := rapid.IntRange(2, 3).Draw(t, "instances"), rapid.IntRange(1, 3).Draw(t, "cycles")
		all := stories(t, n, cycles)
		for range rapid.IntRange(1, 3).Draw(t, "mutations") {
			i := rapid.IntRange(0, n-1).Draw(t, "instance")
			all[i] = mutate(t, all[i])
		}
		log := interleave(t, spellAll(all))
		_, checker, err := check(contract.Options{Instances: n}, log)
		var v *contract.Violation
		whole, broken := expected(all)
		if errors.As(err, &v) != broken || !broken && checker.Whole() != whole {
			t.Fatalf("stories %q: %d cycles, %v; want %d cycles, broken %t\n%s",
				all, checker.Whole(), err, whole, broken, strings.Join(log, "\n"))
		}
	})
}

// timeline draws a log with its lines out of order by less than a phase, in which
// instances are restarted, miss a switch while they are away, and join late.
func timeline(t *rapid.T, n, cycles int) []string {
	log := interleave(t, [][]string{spell(1, "c"), spell(2, "c")})
	phase := func(decides, follows, answer, onStart string) {
		who := decided(t, n, "decides")
		parts := make([][]string, n)
		for i := range parts {
			story := follows + answers(t, answer, 1)
			if who[i] {
				story = decides + answers(t, answer, 1)
			}
			parts[i] = spell(i+1, story)
			fate := rapid.SampledFrom([]string{"", "", "", "", "", "", "restarted", "away"}).Draw(t, "fate")
			late := i >= 2 && len(log) == 2
			if late || fate == "away" && !who[i] {
				parts[i] = nil
			}
			if fate != "" && rapid.Bool().Draw(t, "compose says so") {
				parts[i] = join(parts[i], []string{fmt.Sprintf("hotswap-%d exited with code 143", i+1)})
			}
			if late || fate != "" {
				parts[i] = join(parts[i], says(i+1, onStart), spell(i+1, answers(t, answer, 1)))
			}
		}
		log = join(log, interleave(t, parts))
	}
	for range cycles {
		phase("DS", "RS", "h", onFallback)
		phase("Hs", "rs", "c", onPrimary)
	}
	return log
}

// Restarts and late joins break nothing, and a log may be picked up anywhere.
func TestRestartsAndLateAttachmentBreakNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		log := timeline(t, rapid.IntRange(2, 4).Draw(t, "instances"), rapid.IntRange(1, 6).Draw(t, "cycles"))
		log = log[rapid.IntRange(0, len(log)-1).Draw(t, "from"):]
		_, _, err := check(contract.Options{}, log)
		if err != nil && !errors.Is(err, contract.ErrShort) {
			t.Fatalf("%v\n%s", err, strings.Join(log, "\n"))
		}
	})
}

// Where nobody is restarted, picking the log up late costs the first cycle, or
// two if it falls between the switches of two instances.
func TestLateAttachmentCostsAtMostTwoCycles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const cycles = 4
		log := bothSay(chien)
		end := 0 // of the first cycle
		for range cycles {
			for _, part := range [][2]string{{"DSh", "RSh"}, {"Hsc", "rsc"}} {
				log = join(log, interleave(t, [][]string{spell(1, part[0]), spell(2, part[1])}))
			}
			if end == 0 {
				end = len(log)
			}
		}
		log = log[rapid.IntRange(0, end-1).Draw(t, "from"):]
		_, checker, err := check(contract.Options{}, log)
		if err != nil || checker.Whole() < cycles-2 {
			t.Fatalf("%d cycles, %v\n%s", checker.Whole(), err, strings.Join(log, "\n"))
		}
	})
}
