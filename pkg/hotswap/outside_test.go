package hotswap_test

import (
	"fmt"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/hotswap"
	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/membus"
)

// What a peer may write into the log, by design or not. Nothing of it moves the
// instance where it should not go, and the message behind it is handled.
func TestI11_NoMessageFromOutsideChangesStateWronglyOrStopsTheConsumer(t *testing.T) {
	far := hotswap.Position(math.MaxUint64)
	for name, e := range map[string]hotswap.AdapterSwitchEvent{
		"the zero event":                   {},
		"a target that nobody has":         {ID: "1", Target: "tertiary"},
		"no target":                        {ID: "1"},
		"a target in other letters":        {ID: "1", Target: "FALLBACK"},
		"a kind that nobody knows":         {ID: "1", Kind: 77, Target: "fallback"},
		"an unknown kind of no target":     {ID: "1", Kind: 255, Target: "tertiary"},
		"a vote for nothing":               {ID: "1", Kind: hotswap.KindVote},
		"a vote for an unknown target":     {ID: "1", Kind: hotswap.KindVote, Target: "tertiary", Quorum: 1},
		"a vote outside its own window":    {ID: "1", Kind: hotswap.KindVote, Target: "fallback", Quorum: 1, Window: -1},
		"a vote of a large quorum":         {ID: "1", Kind: hotswap.KindVote, Target: "fallback", Quorum: math.MaxInt, Window: time.Hour},
		"a vote taken back by a stranger":  {ID: "1", Kind: hotswap.KindWithdraw, Origin: "nobody"},
		"a claim from the future":          {ID: "1", Kind: hotswap.KindClaim, After: &far, Time: time.Unix(1<<40, 0)},
		"a claim without an id":            {Kind: hotswap.KindClaim, Origin: "peer"},
		"a claim to something":             {ID: "1", Kind: hotswap.KindClaim, Target: "tertiary"},
		"a switch to what is in force":     {ID: "1", Target: "primary", Time: time.Unix(-1<<40, 0)},
		"a switch of an unknown kind, pin": {ID: "1", Kind: 9, Target: "fallback", Manual: true, Pinned: true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				log := membus.New()
				m := join(t, log, hotswap.Settings{}, newUpstream(answers("Chien")), newUpstream(answers("Chat")))
				peer := log.Connect()
				send := func(e hotswap.AdapterSwitchEvent) {
					if err := peer.Publish(t.Context(), e); err != nil {
						t.Fatal(err)
					}
					synctest.Wait()
				}
				send(e)
				m.isOn(t, "primary")
				if m.Status().Pinned {
					t.Error("pinned")
				}
				send(hotswap.AdapterSwitchEvent{ID: "2", Origin: "peer", Target: "fallback"})
				m.isOn(t, "fallback")
				// One that starts now reads the same past.
				late := join(t, log, hotswap.Settings{}, newUpstream(answers("Chien")), newUpstream(answers("Chat")))
				late.isOn(t, "fallback")
			})
		})
	}
}

// Two instances that read whatever a peer wrote agree, are on an adapter that
// they have, and still follow.
func FuzzI11_WhateverAPeerWrites(f *testing.F) {
	f.Add("1", "peer", uint8(0), "fallback", int64(0), uint64(0), true, false, false, 0, int64(0), int64(0))
	f.Add("1", "peer", uint8(1), "fallback", int64(5), uint64(3), false, true, true, 2, int64(time.Second), int64(time.Hour))
	f.Add("", "", uint8(99), "tertiary", int64(math.MinInt64), uint64(math.MaxUint64), false, true, true, -1, int64(-1), int64(-1))
	f.Add("1", "peer", uint8(3), "", int64(math.MaxInt64), uint64(math.MaxUint64), false, false, true, math.MaxInt, int64(math.MaxInt64), int64(math.MaxInt64))
	f.Fuzz(func(t *testing.T, id, origin string, kind uint8, target string, at int64, after uint64, noAfter, manual, pinned bool, quorum int, window, ramp int64) {
		synctest.Test(t, func(t *testing.T) {
			log := membus.New()
			one := join(t, log, hotswap.Settings{}, newUpstream(answers("Chien")), newUpstream(answers("Chat")))
			p := hotswap.Position(after)
			e := hotswap.AdapterSwitchEvent{ID: id, Origin: origin, Kind: hotswap.Kind(kind), Target: target, Time: time.Unix(0, at),
				After: &p, Manual: manual, Pinned: pinned, Quorum: quorum, Window: time.Duration(window), Ramp: time.Duration(ramp)}
			if noAfter {
				e.After = nil
			}
			for range 3 {
				if err := one.conn.Publish(t.Context(), e); err != nil {
					t.Fatal(err)
				}
			}
			synctest.Wait()
			two := join(t, log, hotswap.Settings{}, newUpstream(answers("Chien")), newUpstream(answers("Chat")))
			for i, target := range []string{"primary", "fallback", "primary"} {
				e := hotswap.AdapterSwitchEvent{ID: fmt.Sprint("last ", i), Origin: "another", Target: target, Manual: true}
				if err := one.conn.Publish(t.Context(), e); err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				if i > 0 { // the first may be what is in force, or on its way
					one.isOn(t, target)
					two.isOn(t, target)
				}
			}
		})
	})
}
