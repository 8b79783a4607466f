package hotswap

import "slices"

// Fold applies the entry at position p to s. It is pure: equal arguments give
// equal results, and s stays as it is.
//
// A switch is accepted if its author decided with no older switch in force than
// the log has now: the compare-and-swap that makes the first of many concurrent
// decisions win, everywhere. Switches without After, as peers in Java send them,
// are accepted in the order of the log.
func Fold(s State, p Position, e AdapterSwitchEvent) (State, Verdict) {
	switch e.Kind {
	case KindVote:
		return s.vote(p, e)
	case KindWithdraw:
		s.votes = without(s.votes, e.Origin)
		return s, Noted
	case KindClaim:
		return s.claim(p, e)
	case KindSwitch:
		return s.follow(p, e)
	}
	return s, UnknownKind
}

// follow is what peers that keep no log do with every switch, beside what the
// log makes of it.
func (s State) follow(p Position, e AdapterSwitchEvent) (State, Verdict) {
	s.said, s.saidBy = e.Target, e.Origin
	if e.After != nil {
		return s.put(p, e)
	}
	if slices.Contains(s.seen, e.ID) {
		return s, Repeated
	}
	s.seen = append(slices.Clone(s.seen[max(0, len(s.seen)-maxSeen+1):]), e.ID)
	return s.put(p, e)
}

func (s State) put(p Position, e AdapterSwitchEvent) (State, Verdict) {
	switch {
	case s.stale(e):
		return s, Stale
	case s.Pinned && !e.Manual:
		return s, Held
	case s.Adapter != e.Target || s.Pinned != (e.Manual && e.Pinned):
		return s.accept(p, e), Accepted
	case e.After != nil && e.ID == s.ID:
		return s.restate(p, e), Restated
	}
	return s, Redundant
}

func (s State) stale(e AdapterSwitchEvent) bool { return e.After != nil && *e.After < s.Position }

func (s State) accept(p Position, e AdapterSwitchEvent) State {
	return State{Adapter: e.Target, Position: p, ID: e.ID, Origin: e.Origin, Time: e.Time,
		Reason: e.Reason, Ramp: e.Ramp, Pinned: e.Manual && e.Pinned,
		seen: s.seen, said: s.said, saidBy: s.saidBy}
}

// restate puts at p what is in force already, under the id that it has.
func (s State) restate(p Position, e AdapterSwitchEvent) State {
	again := s.accept(p, e)
	again.votes, again.Claim = s.votes, s.Claim
	return again
}

// vote counts the distinct authors whose votes for the target are no older than
// the window that e itself carries.
func (s State) vote(p Position, e AdapterSwitchEvent) (State, Verdict) {
	switch {
	case s.stale(e):
		return s, Stale
	case s.Pinned:
		return s, Held
	case s.Adapter == e.Target:
		return s, Redundant
	}
	votes := without(s.votes, e.Origin)
	votes = append(votes[max(0, len(votes)-maxVotes+1):], vote{e.Origin, e.Target, e.Time})
	if s.votes = votes; s.Votes(e) >= max(1, e.Quorum) {
		return s.accept(p, e), Accepted
	}
	return s, Noted
}

// Votes counts the authors whose votes agree with the vote e, within its window.
func (s State) Votes(e AdapterSwitchEvent) int {
	n := 0
	for _, v := range s.votes {
		if v.target == e.Target && e.Time.Sub(v.time).Abs() <= e.Window {
			n++
		}
	}
	return n
}

func without(votes []vote, origin string) []vote {
	return slices.DeleteFunc(slices.Clone(votes), func(v vote) bool { return v.origin == origin })
}

// claim is granted to the first author that has seen the claim before it.
func (s State) claim(p Position, e AdapterSwitchEvent) (State, Verdict) {
	if e.After != nil && *e.After < max(s.Claim.Position, s.Position) {
		return s, Stale
	}
	s.Claim = Claim{Position: p, Origin: e.Origin}
	return s, Noted
}
