package hotswap_test

import (
	"context"
	"testing"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/hotswap"
	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/membus"
)

// free is an adapter that costs nothing.
type free struct{}

func (free) Ask(context.Context) (string, error) { return "", nil }

func newFree(tb testing.TB) *hotswap.Instance[animal] {
	in, err := hotswap.New(membus.New().Connect(), hotswap.Settings{},
		hotswap.Adapter[animal]{Name: "primary", Port: free{}},
		hotswap.Adapter[animal]{Name: "fallback", Port: free{}})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = in.Close() })
	<-in.Ready()
	return in
}

// The swap is free: what is counted here are allocations, which are the same on
// every machine. Times are for the benchmarks, and for scripts/bench.
func TestI12_TheSwapIsFree(t *testing.T) {
	in := newFree(t)
	allocations := func(what string, most float64, f func()) {
		t.Helper()
		if n := testing.AllocsPerRun(1000, f); n > most {
			t.Errorf("%s: %v allocations, want %v at most", what, n, most)
		}
	}
	call := func(mode hotswap.Mode) func() {
		return func() { _, _ = hotswap.Call(context.Background(), in, mode, ask) }
	}
	for _, target := range []string{"primary", "fallback"} { // healthy, then degraded
		if err := in.Switch(target, false); err != nil {
			t.Fatal(err)
		}
		allocations("reading the active adapter of "+target, 0, func() { _ = in.Registry().Active() })
		allocations("a repeatable call to "+target, 6, call(hotswap.Repeatable))
		allocations("a call to "+target+" that is not repeatable", 5, call(hotswap.AtMostOnce))
	}
}

func BenchmarkActive(b *testing.B) {
	r := newFree(b).Registry()
	b.ReportAllocs()
	for b.Loop() {
		_ = r.Active()
	}
}

func BenchmarkCall(b *testing.B) {
	in := newFree(b)
	b.ReportAllocs()
	for b.Loop() {
		_, _ = hotswap.Call(context.Background(), in, hotswap.Repeatable, ask)
	}
}

func BenchmarkCallParallel(b *testing.B) {
	in := newFree(b)
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			_, _ = hotswap.Call(context.Background(), in, hotswap.Repeatable, ask)
		}
	})
}
