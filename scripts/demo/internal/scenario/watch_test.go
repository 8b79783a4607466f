package scenario

import (
	"sync/atomic"
	"time"
)

// watch measures for how long the machine stands still.
type watch struct {
	stop    chan struct{}
	stopped chan struct{}
	most    atomic.Int64
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
			w.most.Store(max(w.most.Load(), int64(now.Sub(last))))
			last = now
		case <-w.stop:
			return
		}
	}
}

func (w *watch) longest() time.Duration { return time.Duration(w.most.Load()) }

func (w *watch) end() {
	close(w.stop)
	<-w.stopped
}
