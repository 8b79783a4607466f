package hotswap

import (
	"testing"

	"pgregory.net/rapid"
)

// everything that can happen.
var everything = []op{
	"fail", "fail", "fail", "recover", "recover", "probeFails", "manual", "release",
	"send", "send", "send", "send", "sendBadly", "sendBadly", "land", "read", "read", "read", "read",
	"cut", "cut", "heal", "heal", "heal", "crash", "restart", "restart", "replaceLog",
	"foreign", "duplicate", "wait", "turn", "claim", "lateFailure", "lateRecovery",
}

// I1: all instances end on the same adapter, which is the log's, after any
// interleaving of decisions, deliveries, losses, crashes, partitions, duplicates
// and foreign events, with any mix of settings. I4 is checked on the way: a
// result of an earlier activation changes nothing.
func TestI1_AllEndOnTheSameAdapter(t *testing.T) {
	schedules(t, 10_000, func(t *rapid.T) {
		w := newWorld(t, clusters(2, 4).Draw(t, "cluster"))
		w.run(steps(everything...).Draw(t, "schedule"))
		w.settle()
		w.checkAgreement()
	})
}

// A log does not keep everything. The instances state again what is in force, so
// that one that starts on what is left folds it alike.
func TestI1_ALogThatDropsItsOldest(t *testing.T) {
	kinds := []op{"fail", "fail", "recover", "recover", "manual", "release", "probeFails", "probeFails", "send", "send", "send", "send",
		"sendBadly", "land", "read", "read", "read", "read", "cut", "heal", "heal", "crash", "restart", "restart", "claim", "claim", "wait", "truncate"}
	schedules(t, 5_000, func(t *rapid.T) {
		w := newWorld(t, clusters(2, 4).Draw(t, "cluster"))
		w.run(steps(kinds...).Draw(t, "schedule"))
		w.settle()
		w.checkAgreement()
	})
}

// A peer that keeps no log, such as one in Java, follows every switch that it
// sees, void ones too. It ends where the others are.
func TestI1_PeersWithoutALogFollow(t *testing.T) {
	kinds := []op{"fail", "fail", "recover", "recover", "manual", "release", "probeFails", "send", "send", "send",
		"sendBadly", "land", "read", "read", "read", "cut", "heal", "heal", "foreign", "wait"}
	schedules(t, 5_000, func(t *rapid.T) {
		w := newWorld(t, clusters(2, 4).Draw(t, "cluster"))
		w.run(steps(kinds...).Draw(t, "schedule"))
		w.settle()
		w.checkAgreement()
		if s := w.folded(); s.said != s.Adapter {
			t.Errorf("a peer without a log is on %q, the log says %q", s.said, s.Adapter)
		}
	})
}

// I2: one outage is one accepted switch, however many instances detect it, and
// whatever becomes of their messages.
func TestI2_OneOutageIsOneSwitch(t *testing.T) {
	kinds := []op{"failFirst", "failFirst", "failFirst", "probeFails", "send", "send", "sendBadly", "land", "read", "read",
		"cut", "heal", "heal", "crash", "restart", "duplicate", "lateFailure"}
	schedules(t, 5_000, func(t *rapid.T) {
		w := newWorld(t, clusters(2, 4).Draw(t, "cluster"))
		for i := range w.nodes {
			if rapid.Bool().Draw(t, "detects at once") {
				w.do(step{"failFirst", i, 0})
			}
		}
		w.run(steps(kinds...).Draw(t, "schedule"))
		w.settle()
		w.checkAgreement()
		if w.folded(); w.accepted > 1 {
			t.Errorf("one outage made %d accepted switches", w.accepted)
		}
	})
}

// I4: a result of an earlier activation changes nothing, and neither does an
// entry of the log that was decided before the switch in force.
func TestI4_LateResultsChangeNothing(t *testing.T) {
	kinds := []op{"fail", "recover", "send", "read", "land", "sendBadly", "duplicate", "lateFailure", "lateFailure", "lateRecovery", "lateRecovery"}
	schedules(t, 5_000, func(t *rapid.T) {
		w := newWorld(t, clusters(1, 3).Draw(t, "cluster"))
		w.run(steps(kinds...).Draw(t, "schedule"))
		w.settle()
		w.checkAgreement()
	})
}

// I8: what the majority decided while a minority was cut off stands: the
// minority's own decisions, an operator's included, give way on return.
func TestI8_ACutOffMinorityDoesNotOverrule(t *testing.T) {
	away := []op{"fail", "recover", "manual", "release", "probeFails", "send", "turn"}
	schedules(t, 5_000, func(t *rapid.T) {
		w := newWorld(t, clusters(3, 5).Draw(t, "cluster"))
		w.run(steps("fail", "recover", "send", "read", "manual", "release").Draw(t, "before"))
		w.settle()
		minority := w.nodes[0]
		w.disconnect(minority)
		before := w.folded()
		for _, s := range steps(append(away, "read", "send")...).Draw(t, "meanwhile") {
			w.do(s)
		}
		w.settleWithout(minority)
		during := w.folded()
		w.settle()
		w.checkAgreement()
		if after := w.folded(); during.ID != before.ID && after.ID != during.ID {
			t.Errorf("%q was in force for those connected, %q is after the return", during.Adapter, after.Adapter)
		}
	})
}
