package scenario

import "time"

// watch measures for how long the machine stands still.
type watch struct {
	stop    chan struct{}
	stopped chan struct{}
	most    time.Duration
}

func newWatch() *watch {
	w := &watch{stop: make(chan struct{}), stopped: make(chan struct{})}
	go w.run()
	return w
}

func (w *watch) run() {
	defer close(w.stopped)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for last := time.Now(); ; {
		select {
		case <-tick.C:
			now := time.Now()
			w.most = max(w.most, now.Sub(last))
			last = now
		case <-w.stop:
			return
		}
	}
}

// end returns the longest time that the machine stood still.
func (w *watch) end() time.Duration {
	close(w.stop)
	<-w.stopped
	return w.most
}
