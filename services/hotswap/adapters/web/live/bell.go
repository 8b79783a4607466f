package live

import "slices"

// bell wakes one waiter, and never waits for it. Ringing twice wakes once.
type bell chan struct{}

func newBell() bell { return make(bell, 1) }

func (b bell) ring() {
	select {
	case b <- struct{}{}:
	default:
	}
}

// listener is woken by a journal: by marked for an answer, by moved for what
// should not wait.
type listener struct{ marked, moved bell }

// listen adds a listener until stop is called.
func (j *Journal) listen() (l listener, stop func()) {
	l = listener{newBell(), newBell()}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.listeners = append(j.listeners, l)
	return l, func() {
		j.mu.Lock()
		defer j.mu.Unlock()
		j.listeners = slices.DeleteFunc(j.listeners, func(other listener) bool { return other == l })
	}
}

// ringMoved wakes every listener.
func (j *Journal) ringMoved() {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, l := range j.listeners {
		l.moved.ring()
	}
}
