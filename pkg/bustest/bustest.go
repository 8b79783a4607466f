// Package bustest is the specification of a hotswap.Bus as a test suite. Every
// implementation runs it against its own log:
//
//	bustest.Run(t, func(t testing.TB) bustest.Connect { … })
//
// Its Recorder, a Subscriber that tests can wait on, serves other tests too.
package bustest

import (
	"io"
	"testing"

	"go.uber.org/goleak"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/hotswap"
)

// Bus is what the suite tests: the port, and the Close that every
// implementation has.
type Bus interface {
	hotswap.Bus
	io.Closer
}

// Member is one instance on the log.
type Member struct {
	Bus Bus
	// Cut takes the instance off the bus, and keeps it off until Mend.
	Cut func()
	// Freeze keeps everything from passing, without an error, until Mend. Where it
	// is nil, the suite does without.
	Freeze func()
	// Mend lets it back.
	Mend func()
}

// Connect makes one more member on a log.
type Connect func(t testing.TB) Member

// Run runs the suite. open makes a fresh, empty log for each test.
func Run(t *testing.T, open func(t testing.TB) Connect) {
	for _, test := range []struct {
		name string
		run  func(*testing.T, Connect)
	}{
		{"EmptyLog", testEmptyLog},
		{"FanOut", testFanOut},
		{"EveryFieldArrives", testEveryFieldArrives},
		{"OneOrderForAll", testOneOrderForAll},
		{"Replay", testReplay},
		{"ThousandEntriesRetained", testThousandEntriesRetained},
		{"Duplicates", testDuplicates},
		{"SlowConsumer", testSlowConsumer},
		{"Reconnect", testReconnect},
		{"CutOffAtStart", testCutOffAtStart},
		{"PublishWhileCutOff", testPublishWhileCutOff},
		{"Frozen", testFrozen},
		{"ContextEnds", testContextEnds},
		{"Close", testClose},
		{"CloseAtRandomMoments", testCloseAtRandomMoments},
	} {
		t.Run(test.name, func(t *testing.T) {
			running := goleak.IgnoreCurrent()
			t.Cleanup(func() { goleak.VerifyNone(t, running) })
			test.run(t, open(t))
		})
	}
}
