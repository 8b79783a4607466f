package main

import (
	"testing"
	"time"
)

func Benchmark(b *testing.B) {
	for _, s := range sections {
		for _, c := range s.contenders {
			b.Run(s.name+"/"+c.name+"/serial", func(b *testing.B) {
				op, stop := c.make()
				defer stop()
				b.ReportAllocs()
				for b.Loop() {
					op()
				}
			})
			b.Run(s.name+"/"+c.name+"/parallel", func(b *testing.B) {
				op, stop := c.make()
				defer stop()
				b.ReportAllocs()
				b.RunParallel(func(pb *testing.PB) {
					for pb.Next() {
						op()
					}
				})
			})
		}
	}
}

// Every contender works, and every figure is there. What the figures are is not
// for a test to say.
func TestMeasure(t *testing.T) {
	r := make(results)
	for _, s := range sections {
		all := measure(s, 1, time.Microsecond)
		for i, f := range all {
			if typical(f.serial) <= 0 || typical(f.parallel) <= 0 {
				t.Errorf("%s: %s took no time: %+v", s.name, s.contenders[i].name, f)
			}
		}
		r.add(s, all)
	}
	for _, target := range r.targets() {
		if target.measured < 0 || target.measured != target.measured {
			t.Errorf("%s: measured %v", target.name, target.measured)
		}
	}
}
