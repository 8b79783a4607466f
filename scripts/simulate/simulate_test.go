package main

import (
	"testing"
	"testing/synctest"
)

func run(t *testing.T, s strategy, instances int) (r result) {
	synctest.Test(t, func(t *testing.T) { r = simulate(t, s, instances) })
	t.Log("\n" + heading + row(s, instances, r))
	return r
}

// Of a thousand instances with ten callers each, all of which hang at the same
// moment, few detect and the rest are rescued.
func TestJitterKeepsTheDetectorsFew(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector ends at 8,128 goroutines, and these are 10,000 callers: run without -race")
	}
	if r := run(t, strategies[2], 1000); r.detectors == 0 || r.detectors > 50 {
		t.Errorf("%d of 1,000 instances detect by themselves, want 1 to 50", r.detectors)
	}
}

// Each strategy saves what it is for.
func TestStrategies(t *testing.T) {
	article, rescue := run(t, strategies[0], 100), run(t, strategies[1], 100)
	jitter, quorum := run(t, strategies[2], 100), run(t, strategies[3], 100)
	if article.timeouts != 100*callers || article.detectors != 100 {
		t.Errorf("without a rescue %d calls and %d instances time out, want all", article.timeouts, article.detectors)
	}
	if rescue.timeouts > 100 || rescue.timeouts != rescue.detectors {
		t.Errorf("with rescue %d calls time out, want one an instance at most", rescue.timeouts)
	}
	if jitter.broadcasts > rescue.broadcasts/3 || jitter.detectors > rescue.detectors/3 {
		t.Errorf("jitter: %d broadcasts, %d detectors; without it %d and %d", jitter.broadcasts, jitter.detectors, rescue.broadcasts, rescue.detectors)
	}
	if quorum.detectors < 3 || quorum.detectors > rescue.detectors/2 {
		t.Errorf("a quorum of 3 with jitter takes %d detectors", quorum.detectors)
	}
	for _, r := range []result{article, rescue, jitter, quorum} {
		if r.deliveries != 100*r.broadcasts || r.fallback == 0 {
			t.Errorf("%d deliveries of %d broadcasts, %v on the fallback", r.deliveries, r.broadcasts, r.fallback)
		}
	}
}
