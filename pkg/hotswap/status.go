package hotswap

import "time"

// Status is what an instance knows at one moment.
type Status struct {
	ID string
	// Active is this instance's adapter, Epoch its activation.
	Active string
	Epoch  uint64
	// Log is the state of the log, as of the last read.
	Log State
	// Connected says that the log is being read. Otherwise this instance decides
	// alone.
	Connected bool
	// Pending says that an own decision is not yet back from the log.
	Pending bool
	// Alone says that this instance left the cluster's adapter for itself, until
	// a quorum agrees.
	Alone bool
	// Ramping says that this instance waits for its turn to go back.
	Ramping bool
	// Pinned says that automatic decisions are kept out.
	Pinned bool
	// HoldDown is how long the cluster stays away from the preferred adapter at
	// least, counted from the switch; HeldUntil is when that ends. Both are zero
	// without a hold-down.
	HoldDown  time.Duration
	HeldUntil time.Time
	// AbandonedCalls counts calls that ignore their context and still run.
	AbandonedCalls int
	// Dropped counts observations that an observer was too slow for.
	Dropped uint64
}

// Status returns what the instance knows now.
func (in *Instance[P]) Status() Status {
	c := in.coordinator
	c.mu.Lock()
	defer c.mu.Unlock()
	active := in.registry.active.Load()
	s := Status{
		ID: in.settings.ID, Active: active.adapter.Name, Epoch: active.epoch,
		Log: c.log, Connected: c.live, Pending: c.pending != nil, Alone: c.alone,
		Ramping: c.ramp != nil, Pinned: c.pinned(), Dropped: in.observers.dropped(),
	}
	if hold := c.flaps.holdDown(in.settings); hold > 0 && c.flaps.away {
		s.HoldDown, s.HeldUntil = hold, c.flaps.left.Add(hold)
	}
	for _, b := range in.abandoned {
		s.AbandonedCalls += int(b.abandoned.Load())
	}
	return s
}
