package contract_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/adapter-hotswap/adapter-hotswap-go/scripts/checklog/contract"
	"github.com/adapter-hotswap/adapter-hotswap-go/services/hotswap/walkthrough"
)

// The messages that the logs of these tests are made of.
var (
	chien      = walkthrough.Response(walkthrough.Chien)
	chat       = walkthrough.Response(walkthrough.Chat)
	timeout    = walkthrough.Detected(walkthrough.Primary, walkthrough.CauseTimeout, walkthrough.Fallback)
	refused    = walkthrough.Detected(walkthrough.Primary, walkthrough.CauseRefused, walkthrough.Fallback)
	warned     = walkthrough.Received(walkthrough.Fallback)
	toFallback = walkthrough.Switching(walkthrough.Primary, walkthrough.Fallback)
	healthy    = walkthrough.Recovered(walkthrough.Primary)
	told       = walkthrough.Received(walkthrough.Primary)
	toPrimary  = walkthrough.Switching(walkthrough.Fallback, walkthrough.Primary)
	rescued    = walkthrough.Rescued(walkthrough.Primary, walkthrough.Fallback)
	onPrimary  = walkthrough.Replayed(walkthrough.Primary)
	onNothing  = walkthrough.ReplayedNothing(walkthrough.Primary)
	onFallback = walkthrough.Replayed(walkthrough.Fallback)
)

// says is what one instance prints, with the prefix that compose puts before it.
func says(instance int, messages ...string) []string {
	lines := slices.Clone(messages)
	for n := range lines {
		lines[n] = fmt.Sprintf("hotswap-%d  | %s", instance, lines[n])
	}
	return lines
}

// The stories of one instance in one cycle, without the Chien before and after.
var (
	detects   = []string{timeout, toFallback, chat}
	isWarned  = []string{warned, toFallback, rescued, chat}
	goesBack  = []string{healthy, toPrimary}
	isToldSo  = []string{told, toPrimary}
	oneDetect = join(says(1, detects...), says(2, isWarned...), says(2, goesBack...), says(1, isToldSo...))
)

func bothSay(messages ...string) []string {
	return join(says(1, messages...), says(2, messages...))
}

func join(parts ...[]string) []string { return slices.Concat(parts...) }

// check reads the lines and returns what OnCycle was told, and the verdict.
func check(opts contract.Options, lines []string) ([]string, *contract.Checker, error) {
	var cycles []string
	opts.OnCycle = func(c *contract.Cycle) { cycles = append(cycles, c.String()) }
	checker, err := contract.Check(strings.NewReader(strings.Join(lines, "\n")+"\n"), opts)
	return cycles, checker, err
}
