package hotswap_test

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/hotswap"
	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/membus"
)

// probing is a cluster whose probes and canary calls are told apart by instance.
type probing struct {
	cluster
	start   time.Time
	probes  []*times
	canary  []*times
	respond *upstream // what a probe gets
	serve   atomic.Pointer[serve]
}

// serve is what a canary of instance i gets.
type serve = func(ctx context.Context, i int) error

func (p *probing) serves(s serve) { p.serve.Store(&s) }

func newProbing(t *testing.T, n int, s hotswap.Settings) *probing {
	p := &probing{start: time.Now(), respond: newUpstream(fails(err500))}
	p.log, p.primary, p.fallback = membus.New(), newUpstream(fails(err500)), newUpstream(answers("Chat"))
	for i := range n {
		p.probes = append(p.probes, &times{start: p.start})
		p.canary = append(p.canary, &times{start: p.start})
		if s.Canary > 0 {
			s.CanaryCall = func(ctx context.Context, _ any) error {
				p.canary[i].note()
				return (*p.serve.Load())(ctx, i)
			}
		}
		p.members = append(p.members, joinWith(t, p.log, s,
			hotswap.Adapter[animal]{Name: "primary", Port: p.primary, Probe: func(ctx context.Context) error {
				p.probes[i].note()
				_, err := p.respond.Ask(ctx)
				return err
			}},
			hotswap.Adapter[animal]{Name: "fallback", Port: p.fallback}))
	}
	p.leave(t)
	return p
}

// all merges the times of all instances, in order.
func merged(each []*times) *times {
	all := &times{}
	for _, s := range each {
		all.at = append(all.at, s.since()...)
	}
	slices.Sort(all.at)
	return all
}

// One instance at a time probes for eight, as often as one alone would.
func TestOneProber(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProbing(t, 8, hotswap.Settings{OneProber: true})
		time.Sleep(time.Minute)
		at := merged(p.probes).at
		if len(at) < 10 || len(at) > 14 {
			t.Errorf("%d probes in a minute, want about 12", len(at))
		}
		for i := 1; i < len(at); i++ {
			if gap := at[i] - at[i-1]; gap < 4*time.Second || gap > 5500*time.Millisecond {
				t.Errorf("%v between two probes", gap)
			}
		}
		p.respond.becomes(answers("UP"))
		time.Sleep(6 * time.Second)
		p.allOn(t, "primary")
	})
}

// Each of the eight may die as it probes: another takes over within one probe
// interval.
func TestAnotherTakesOverFromAProberThatDies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProbing(t, 8, hotswap.Settings{OneProber: true})
		p.respond.becomes(hangs)
		dead := 0
		for range 7 {
			before := len(merged(p.probes).at)
			for len(merged(p.probes).at) == before {
				time.Sleep(10 * time.Millisecond)
			}
			for i, m := range p.members {
				if n := p.probes[i].since(); len(n) > 0 && n[len(n)-1] == merged(p.probes).at[before] {
					_ = m.Close()
					dead++
				}
			}
			died := time.Since(p.start)
			time.Sleep(5*time.Second + time.Millisecond)
			if after := merged(p.probes).at; len(after) <= before+1 {
				t.Fatalf("the prober died at %v, and nobody has probed 5 s later", died)
			}
		}
		if dead < 7 {
			t.Fatalf("only %d instances died", dead)
		}
	})
}

// An instance that is cut off probes for itself, and so does one that is alone.
func TestACutOffInstanceProbesForItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProbing(t, 3, hotswap.Settings{OneProber: true})
		p.members[0].conn.Cut()
		time.Sleep(time.Minute)
		if n := len(p.probes[0].since()); n < 10 {
			t.Errorf("%d probes of the one that is cut off in a minute", n)
		}
		if n := len(p.probes[1].since()) + len(p.probes[2].since()); n < 10 || n > 14 {
			t.Errorf("%d probes of the others in a minute, want about 12", n)
		}
	})
}

// A publish that hangs does not keep the prober from its probe.
func TestAFrozenBusDoesNotStopTheProber(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProbing(t, 1, hotswap.Settings{OneProber: true})
		p.members[0].conn.Freeze()
		time.Sleep(time.Minute)
		if n := len(p.probes[0].since()); n < 4 {
			t.Errorf("%d probes in a minute on a frozen bus", n)
		}
	})
}

// The canary makes its requests before the cluster hears of the recovery.
func TestCanary(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProbing(t, 8, hotswap.Settings{OneProber: true, Canary: 5})
		broadcasts := switches(p.log)
		p.serves(func(ctx context.Context, _ int) error {
			if switches(p.log) != broadcasts {
				t.Error("a broadcast before the canary's requests were answered")
			}
			return nil
		})
		p.respond.becomes(answers("UP"))
		time.Sleep(6 * time.Second)
		p.allOn(t, "primary")
		if n := len(merged(p.canary).at); n != 5 {
			t.Errorf("%d requests of canaries, want 5", n)
		}
		if n := switches(p.log) - broadcasts; n != 1 || len(p.log.Entries()) != 3 {
			t.Errorf("%d broadcasts, %d entries; want 1, and in all the failure, one claim and the return", n, len(p.log.Entries()))
		}
	})
}

// A canary that fails or panics sends no broadcast, and its first failure ends it.
func TestAFailedCanarySendsNoBroadcast(t *testing.T) {
	for name, s := range map[string]serve{
		"fails":  func(context.Context, int) error { return err500 },
		"hangs":  func(ctx context.Context, _ int) error { <-ctx.Done(); return ctx.Err() },
		"panics": func(context.Context, int) error { panic("canary") },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newProbing(t, 3, hotswap.Settings{OneProber: true, Canary: 5})
				broadcasts := switches(p.log)
				p.serves(s)
				p.respond.becomes(answers("UP"))
				time.Sleep(time.Minute)
				p.allOn(t, "fallback")
				if n := switches(p.log) - broadcasts; n != 0 {
					t.Errorf("%d broadcasts, want none", n)
				}
				probes, canaries := len(merged(p.probes).at), len(merged(p.canary).at)
				if canaries < 5 || canaries > probes {
					t.Errorf("%d requests of canaries after %d probes, want one each", canaries, probes)
				}
				told := observed[hotswap.ProbeFailed](p.members[0].seen)
				for _, m := range p.members[1:] {
					told = append(told, observed[hotswap.ProbeFailed](m.seen)...)
				}
				if n := len(told); n < canaries-1 || !told[n-1].Canary {
					t.Errorf("%d observations of %d failed canaries", n, canaries)
				}
			})
		})
	}
}

// The canary dies midway: another takes over within one probe interval.
func TestAnotherTakesOverFromACanaryThatDies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProbing(t, 4, hotswap.Settings{OneProber: true, Canary: 5})
		var first, died atomic.Int64
		first.Store(-1)
		p.serves(func(ctx context.Context, i int) error {
			first.CompareAndSwap(-1, int64(i))
			if int64(i) == first.Load() && len(p.canary[i].since()) == 3 {
				died.Store(int64(time.Since(p.start)))
				go p.members[i].Close()
				<-ctx.Done()
			}
			return ctx.Err()
		})
		p.respond.becomes(answers("UP"))
		time.Sleep(13 * time.Second)
		for i, m := range p.members {
			if int64(i) != first.Load() {
				m.isOn(t, "primary")
			}
		}
		all := merged(p.canary).at
		if len(all) != 3+5 || all[3]-time.Duration(died.Load()) > 5*time.Second {
			t.Errorf("died at %v; requests of canaries at %v", time.Duration(died.Load()), all)
		}
	})
}

// A canary that takes longer than the probe interval keeps its right to probe.
func TestALongCanaryStaysTheOnlyOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProbing(t, 4, hotswap.Settings{OneProber: true, Canary: 8})
		p.serves(func(ctx context.Context, i int) error {
			time.Sleep(2 * time.Second)
			return nil
		})
		p.respond.becomes(answers("UP"))
		time.Sleep(23 * time.Second)
		p.allOn(t, "primary")
		if n := len(merged(p.canary).at); n != 8 {
			t.Errorf("%d requests of canaries, want 8", n)
		}
	})
}

// One that loses the right all the same, because a single request takes longer,
// stops.
func TestACanaryThatLostItsClaimStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProbing(t, 2, hotswap.Settings{OneProber: true, Canary: 3, Timeout: 20 * time.Second})
		var first atomic.Int64
		first.Store(-1)
		p.serves(func(ctx context.Context, i int) error {
			first.CompareAndSwap(-1, int64(i))
			if int64(i) == first.Load() {
				time.Sleep(12 * time.Second)
			}
			return nil
		})
		p.respond.becomes(answers("UP"))
		time.Sleep(40 * time.Second)
		p.allOn(t, "primary")
		slow := first.Load()
		if n := len(p.canary[slow].since()); n != 1 {
			t.Errorf("%d requests of the canary that lost its claim, want 1", n)
		}
		if n := len(p.canary[1-slow].since()); n != 3 {
			t.Errorf("%d requests of the one that took over, want 3", n)
		}
	})
}
