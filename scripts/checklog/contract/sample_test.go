package contract_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/adapter-hotswap/adapter-hotswap-go/scripts/checklog/contract"
)

func ExampleCheck() {
	log := strings.NewReader(contract.Sample())
	_, err := contract.Check(log, contract.Options{OnCycle: func(c *contract.Cycle) { fmt.Println(c) }})
	fmt.Println(err)
	// Output:
	// cycle 1: detected by hotswap-1 (timeout); 1 instance warned in time; 1 timeout; recovery seen by hotswap-2
	// <nil>
}

// The sample holds the article's own lines, in the article's order.
func TestSampleTellsTheArticlesStory(t *testing.T) {
	sample := contract.Sample()
	for _, line := range []string{
		"Response: Chien",
		"Response: Chien",
		"EVENT: Primary adapter timeout — broadcasting switch to fallback",
		"EVENT: Switching adapter from 'primary' to 'fallback'",
		"EVENT RECEIVED: Switch to 'fallback'",
		"Response: Chat",
		"HEALTHCHECK: Primary adapter responding again",
		"EVENT: Switching adapter from 'fallback' to 'primary'",
		"Response: Chien",
	} {
		_, after, found := strings.Cut(sample, line+"\n")
		if !found {
			t.Fatalf("the sample lacks %q, or has it too early", line)
		}
		sample = after
	}
}
