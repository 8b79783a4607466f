package hotswap

import (
	"errors"
	"fmt"
	"reflect"
	"time"

	"pgregory.net/rapid"
)

// world is a cluster without goroutines, timers or a bus: a log, and the
// coordinators of some instances, driven step by step. Whatever a network, a
// broker or a crash can do to the order of things, a step does.
type world struct {
	t         *rapid.T
	drawn     []drawn
	nodes     []*node
	log       []entry
	position  Position      // of the last entry
	clock     time.Duration // what steps added to the time
	born      int           // instances started so far, for their ids
	truncated bool          // entries were dropped
	accepted  int           // switches accepted in the log that was folded last
}

type entry struct {
	position Position
	event    AdapterSwitchEvent
}

// node is one instance and its connection.
type node struct {
	*coordinator[string]
	told      *observerQueue
	name      int
	link      link
	read      int // entries of the log that were brought
	past      int // entries that the log held when the read began
	inFlight  []AdapterSwitchEvent
	activated []*activation[string] // all its activations, the present one last
}

type link uint8

const (
	down link = iota // the instance does not run
	cut
	connected
	isolated // cut, and settling does not heal it
)

var errTest = errors.New("test")

func (w *world) start(name int) *node {
	adapters := []Adapter[string]{{Name: "a", Port: "a"}, {Name: "b", Port: "b"}, {Name: "c", Port: "c"}}
	r, err := NewRegistry(adapters...)
	if err != nil {
		w.t.Fatal(err)
	}
	s := w.drawn[name].settings()
	w.born++
	s.ID = fmt.Sprintf("%d-%d", name, w.born)
	if err := s.complete(); err != nil {
		w.t.Fatal(err)
	}
	told := newObservers([]Observer{nil}) // nobody takes what is queued
	n := &node{coordinator: newCoordinator(r, &s, told), told: told[0], name: name, link: cut}
	n.activated = []*activation[string]{r.active.Load()}
	return n
}

func newWorld(t *rapid.T, each []drawn) *world {
	w := &world{t: t, drawn: each}
	for i := range each {
		n := w.start(i)
		w.nodes = append(w.nodes, n)
		w.connect(n)
		w.bring(n, 1)
	}
	return w
}

func (n *node) follower() follower[string] { return follower[string]{n.coordinator} }

// hears returns what the instance was told of one type.
func hears[O Observation](n *node) (all []O) {
	for _, o := range n.told.queued {
		if o, ok := o.(O); ok {
			all = append(all, o)
		}
	}
	return all
}

func (n *node) active() *activation[string] { return n.registry.active.Load() }

// gap is the distance between two entries. It makes the instances state again
// what is in force after a few of them.
const gap = maxBehind / 4

// append puts an event into the log. Its time is shifted by what the world's
// clock went on.
func (w *world) append(e AdapterSwitchEvent) {
	e.Time = e.Time.Add(w.clock)
	w.position += gap
	w.log = append(w.log, entry{w.position, e})
}

// truncate drops what is older than the switch in force, which is as much as a
// log may lose. A vote stands only with those before it, until it is stated again
// as a switch.
func (w *world) truncate() {
	in := w.folded().Position
	for _, e := range w.log {
		if e.position == in && e.event.Kind != KindSwitch {
			return
		}
	}
	for len(w.log) > 0 && w.log[0].position < in {
		w.log, w.truncated = w.log[1:], true
		for _, n := range w.nodes {
			if n.read == 0 {
				w.disconnect(n) // it lags behind what is left, and reads anew
			}
			n.read, n.past = max(0, n.read-1), max(0, n.past-1)
		}
	}
}

func (w *world) connect(n *node) {
	if n.link == cut {
		n.link, n.read, n.past = connected, 0, len(w.log)
		n.follower().Begin()
	}
}

func (w *world) disconnect(n *node) {
	if n.link == connected {
		n.link = cut
		n.follower().Lost(errTest)
	}
}

// bring delivers up to k entries, and the end of the past where it is.
func (w *world) bring(n *node, k int) {
	if n.link != connected {
		return
	}
	for range k {
		if n.read >= n.past && !n.live {
			n.follower().CaughtUp()
		}
		if n.read == len(w.log) {
			return
		}
		e := w.log[n.read]
		n.read++
		n.follower().Entry(e.position, e.event)
	}
	if n.read >= n.past && !n.live {
		n.follower().CaughtUp()
	}
}

// fate is what becomes of a publish.
type fate int

const (
	arrives fate = iota
	isLost
	losesConfirm
	arrivesLate // after an error, and after what was published later
	fates
)

// send lets the outbox publish once, and reports whether it had something to.
func (w *world) send(n *node, f fate) bool {
	if n.link != connected {
		return false
	}
	e, ok := n.next()
	if !ok {
		return false
	}
	switch f {
	case arrives, losesConfirm:
		w.append(e)
	case arrivesLate:
		n.inFlight = append(n.inFlight, e)
	}
	if f != arrives {
		n.failedToPublish(e, errTest)
	}
	return true
}

// land puts an event into the log that was in flight.
func (w *world) land(n *node) bool {
	if len(n.inFlight) == 0 {
		return false
	}
	w.append(n.inFlight[0])
	n.inFlight = n.inFlight[1:]
	return true
}

func (n *node) finishRamp() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.ramp == nil {
		return false
	}
	n.endRamp()
	return true
}

// replace puts an empty log in the place of this one.
func (w *world) replace() {
	w.log, w.position = nil, 0
	for _, n := range w.nodes {
		w.disconnect(n)
	}
}

func (w *world) crash(n *node) {
	if n.link != down {
		n.coordinator.close()
		n.link = down
	}
}

func (w *world) restart(n *node) {
	if n.link == down {
		late := n.inFlight
		*n = *w.start(n.name)
		n.inFlight = late
	}
}

// settle heals everything, delivers everything and lets every outbox run dry.
func (w *world) settle() {
	for range 200 {
		if !w.settleOnce() {
			return
		}
	}
	w.t.Fatal("the cluster does not come to rest")
}

// settleWithout does so for all but one, which stays cut off.
func (w *world) settleWithout(n *node) {
	n.link = isolated
	w.settle()
	n.link = cut
}

func (w *world) settleOnce() (moved bool) {
	for _, n := range w.nodes {
		if n.link == isolated {
			continue
		}
		w.restart(n)
		w.connect(n)
		for w.land(n) {
			moved = true
		}
		w.bring(n, len(w.log)+1)
		for w.send(n, arrives) {
			moved = true
		}
	}
	for _, n := range w.nodes {
		w.bring(n, len(w.log)+1)
		if n.link == connected {
			moved = n.finishRamp() || n.goBack() || moved || n.read < len(w.log)
		}
	}
	return moved
}

// goBack is the probe of an instance that left the cluster: all adapters respond
// by now.
func (n *node) goBack() bool {
	if !n.alone {
		return false
	}
	n.recovered(n.registry.Epoch(), n.cluster())
	return true
}

// folded folds the log anew, and checks on the way what every fold must keep: no
// decision older than the switch in force is accepted, and none but an
// operator's against a pin.
func (w *world) folded() State {
	var s State
	w.accepted = 0
	for _, e := range w.log {
		before := s
		var v Verdict
		s, v = Fold(s, e.position, e.event)
		w.accepted += map[Verdict]int{Accepted: 1}[v]
		switch {
		case (v == Accepted || v == Restated) != (s.Position != before.Position):
			w.t.Errorf("entry %d is %s and the switch in force goes from %d to %d", e.position, v, before.Position, s.Position)
		case v == Accepted && e.event.After != nil && *e.event.After < before.Position:
			w.t.Errorf("entry %d, decided after %d, is accepted over %d", e.position, *e.event.After, before.Position)
		case v == Accepted && before.Pinned && !e.event.Manual:
			w.t.Errorf("entry %d, which is automatic, moves the cluster off a pin", e.position)
		}
	}
	return s
}

// checkAgreement is what I1 asks for: all on the adapter of the log, which is
// the preferred one if the log is blank.
func (w *world) checkAgreement() {
	s := w.folded()
	want := s.Adapter
	if want == "" {
		want = "a"
	}
	for _, n := range w.nodes {
		switch {
		case n.registry.ActiveName() != want:
			w.t.Errorf("instance %d is on %q, the log says %q", n.name, n.registry.ActiveName(), want)
		case !reflect.DeepEqual(w.essence(n.coordinator.log), w.essence(s)):
			w.t.Errorf("instance %d folded %+v, want %+v", n.name, n.coordinator.log, s)
		case n.pending != nil || n.alone || n.ramp != nil:
			w.t.Errorf("instance %d is not at rest: pending %v, alone %v, ramp %v", n.name, n.pending, n.alone, n.ramp)
		}
	}
}

// essence leaves out what only those know who have read what the log lost since.
func (w *world) essence(s State) State {
	if w.truncated {
		s.votes, s.seen, s.Claim = nil, nil, Claim{}
	}
	return s
}

// checkStanding is what holds at every moment: an instance is where it believes
// the cluster to be, unless it left it or waits for its turn to return.
func (w *world) checkStanding() {
	for _, n := range w.nodes {
		if n.link == down {
			continue
		}
		if !n.alone && n.ramp == nil && n.registry.ActiveName() != n.cluster() {
			w.t.Errorf("instance %d is on %q and believes the cluster on %q", n.name, n.registry.ActiveName(), n.cluster())
		}
		if n.alone && n.pinned() {
			w.t.Errorf("instance %d left the cluster in spite of a pin", n.name)
		}
	}
}
