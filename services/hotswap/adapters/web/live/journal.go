package live

import (
	"slices"
	"sync"
	"time"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/hotswap"
)

// Answers within one slot that are kept as marks. More of them are only counted:
// an instance under load would else push the one timeout off the page.
const (
	slot        = 250 * time.Millisecond
	maxPerSlot  = 6
	maxBadInRow = 30
)

// reasonTimeout is what the pattern calls a timeout, here and in entries of
// others.
const reasonTimeout = "timeout"

// Journal is an observer that remembers the last of what happened to one
// instance. It costs a lock and a byte per answer. It is safe for concurrent use.
type Journal struct {
	preferred string
	status    func() hotswap.Status

	mu        sync.Mutex
	marks     []byte
	total     uint64
	slotEnd   time.Time
	plain     int // marks of answers within the slot
	bad       int // other marks within the slot
	counts    Counts
	applied   []Applied
	listeners []listener
}

// NewJournal makes the journal of an instance whose preferred adapter has that
// name. It asks status only while it is told something, so that status may
// become usable later.
func NewJournal(preferred string, status func() hotswap.Status) *Journal {
	return &Journal{preferred: preferred, status: status}
}

// Observe implements hotswap.Observer.
func (j *Journal) Observe(o hotswap.Observation) {
	switch o := o.(type) {
	case hotswap.Answered:
		j.answered(o)
	case hotswap.Failed:
		j.failed(o)
	case hotswap.Decided:
		j.change(func() { j.decided(o) })
	case hotswap.Received:
		j.change(func() { j.received(o) })
	case hotswap.Switched:
		j.change(func() { j.switched(o) })
	case hotswap.Confirmed:
		j.change(func() { j.confirmed(o) })
	case hotswap.Voided:
		log := j.status().Log
		j.change(func() { j.voided(o, log) })
	case hotswap.Replayed:
		j.change(func() { j.known(o.State) })
	case hotswap.BusRegained:
		j.change(func() { j.known(o.State) })
	case hotswap.BusLost, hotswap.BusAway, hotswap.Ignored, hotswap.Voted:
		j.ringMoved()
	}
}

func (j *Journal) change(f func()) {
	j.mu.Lock()
	f()
	j.mu.Unlock()
	j.ringMoved()
}

func (j *Journal) answered(o hotswap.Answered) {
	j.mu.Lock()
	defer j.mu.Unlock()
	switch {
	case o.Err != nil:
		j.counts.Errors++
		j.mark(MarkError, &j.bad, maxBadInRow)
	case o.Rescued:
		j.counts.Rescued++
		j.mark(MarkRescued, &j.bad, maxBadInRow)
	case o.Adapter == j.preferred:
		j.counts.Preferred++
		j.mark(MarkPreferred, &j.plain, maxPerSlot)
	default:
		j.counts.Fallback++
		j.mark(MarkFallback, &j.plain, maxPerSlot)
	}
}

func (j *Journal) failed(o hotswap.Failed) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if hotswap.Reason(o.Err) == reasonTimeout {
		j.counts.Timeouts++
		j.mark(MarkTimeout, &j.bad, maxBadInRow)
		return
	}
	j.counts.Errors++
	j.mark(MarkError, &j.bad, maxBadInRow)
}

// mark keeps m unless the slot has enough of its sort. The caller holds mu.
func (j *Journal) mark(m byte, sort *int, most int) {
	if now := time.Now(); now.After(j.slotEnd) {
		j.slotEnd, j.plain, j.bad = now.Add(slot), 0, 0
	}
	*sort++
	if *sort > most {
		return
	}
	if len(j.marks) == maxMarks {
		j.marks = append(j.marks[:0], j.marks[1:]...)
	}
	j.marks = append(j.marks, m)
	j.total++
	for _, l := range j.listeners {
		l.marked.ring()
	}
}

// report adds what the journal knows to r. Switches are those that changed at or
// after since, in Unix milliseconds.
func (j *Journal) report(r *Report, since int64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	r.Marks, r.Marked, r.Counts = string(j.marks), j.total, j.counts
	for _, a := range j.applied {
		if a.seen >= since {
			r.Applied = append(r.Applied, a)
		}
	}
}

func (j *Journal) decided(o hotswap.Decided) {
	if reason := o.Reason; reason == reasonTimeout && (o.Cause == hotswap.CauseFailure || o.Cause == hotswap.CauseAlone) {
		j.counts.Outages++
	}
	if o.Cause == hotswap.CauseAlone {
		return // the lane says that it is alone; the cluster has not switched
	}
	j.put(applied(o.Event, 0, Moved))
}

func (j *Journal) received(o hotswap.Received) {
	if o.Event.Reason == reasonTimeout {
		j.counts.Outages++
	}
	j.put(applied(o.Event, o.Position, Waiting))
}

// switched completes the record that came before it.
func (j *Journal) switched(o hotswap.Switched) {
	i := slices.IndexFunc(j.applied, func(a Applied) bool {
		return a.How != Void && a.Target == o.To && a.Position == uint64(o.Position)
	})
	if i < 0 {
		return
	}
	a := j.applied[i]
	a.How, a.Took = Moved, milliseconds(max(0, o.Latency))
	j.put(a)
}

// confirmed gives an own decision its place in the log. It may have got another
// id on its way there.
func (j *Journal) confirmed(o hotswap.Confirmed) {
	a := applied(o.Event, o.Position, Moved)
	if i := j.own(o.Event); i >= 0 {
		a.Took = j.applied[i].Took
		if old := j.applied[i]; old.Switch != a.Switch {
			old.How = Void
			j.put(old)
		}
	}
	j.put(a)
}

// voided replaces an own decision by the entry that won over it.
func (j *Journal) voided(o hotswap.Voided, log hotswap.State) {
	i := j.own(o.Event)
	if i < 0 {
		return
	}
	lost := j.applied[i]
	lost.How = Void
	j.put(lost)
	if log.ID == "" || log.ID == lost.Switch || log.Adapter != lost.Target {
		return
	}
	won := fromState(log, Moved)
	won.Took = float64(max(0, lost.At-won.At))
	j.put(won)
}

// own finds the record of an own decision.
func (j *Journal) own(e hotswap.AdapterSwitchEvent) int {
	i := slices.IndexFunc(j.applied, func(a Applied) bool { return a.Switch == e.ID })
	for k := len(j.applied) - 1; i < 0 && k >= 0; k-- {
		if a := j.applied[k]; a.Origin == e.Origin && a.Position == 0 && a.Target == e.Target && a.How != Void {
			i = k
		}
	}
	return i
}

// known notes what a read of the log brought.
func (j *Journal) known(s hotswap.State) {
	if s.ID == "" || slices.ContainsFunc(j.applied, func(a Applied) bool { return a.Switch == s.ID }) {
		return
	}
	j.put(fromState(s, Known))
}

// put adds a record, or replaces the one of the same switch.
func (j *Journal) put(a Applied) {
	a.seen = time.Now().UnixMilli()
	if i := slices.IndexFunc(j.applied, func(b Applied) bool { return b.Switch == a.Switch }); i >= 0 {
		j.applied[i] = a
		return
	}
	if len(j.applied) == maxApplied {
		j.applied = slices.Delete(j.applied, 0, 1)
	}
	j.applied = append(j.applied, a)
}

func applied(e hotswap.AdapterSwitchEvent, p hotswap.Position, how How) Applied {
	return Applied{Switch: e.ID, Position: uint64(p), Target: e.Target, Reason: e.Reason, Origin: e.Origin,
		At: e.Time.UnixMilli(), Manual: e.Manual, Pinned: e.Pinned, How: how}
}

func fromState(s hotswap.State, how How) Applied {
	return Applied{Switch: s.ID, Position: uint64(s.Position), Target: s.Adapter, Reason: s.Reason, Origin: s.Origin,
		At: s.Time.UnixMilli(), Pinned: s.Pinned, How: how}
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
