package main

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// results are the figures by section and contender.
type results map[string]map[string]figures

func (r results) add(s section, all []figures) {
	r[s.name] = make(map[string]figures)
	for i, c := range s.contenders {
		r[s.name][c.name] = all[i]
	}
}

// target is what a figure is meant to stay below.
type target struct {
	name     string
	measured float64
	most     float64
}

func (r results) targets() []target {
	reading, healthy, degraded := r[sections[0].name], r[sections[1].name], r[sections[2].name]
	serial := func(f figures) float64 { return typical(f.serial) }
	parallel := func(f figures) float64 { return typical(f.parallel) }
	return []target{
		{"reading the active adapter, ns", serial(reading[active]), 5},
		{"reading the active adapter, allocations", reading[active].allocs, 0},
		{"guarded call / context.WithTimeout, serial", serial(healthy[guarded]) / serial(healthy[bare]), 1.3},
		{"guarded call / context.WithTimeout, parallel", parallel(healthy[guarded]) / parallel(healthy[bare]), 1.3},
		{"guarded call, allocations", healthy[guarded].allocs, 6},
		{"guarded call / failsafe-go's three policies, serial", serial(healthy[guarded]) / serial(healthy[policies]), 0.5},
		{"guarded call / failsafe-go's three policies, parallel", parallel(healthy[guarded]) / parallel(healthy[policies]), 0.5},
		{"degraded / healthy, both as × context.WithTimeout, serial",
			serial(degraded[guarded]) / serial(degraded[bare]) / (serial(healthy[guarded]) / serial(healthy[bare])), 1.1},
		{"degraded / healthy, both as × context.WithTimeout, parallel",
			parallel(degraded[guarded]) / parallel(degraded[bare]) / (parallel(healthy[guarded]) / parallel(healthy[bare])), 1.1},
	}
}

// printTargets prints what was aimed at. "No dearer" leaves a tenth for the
// spread between two runs of the same thing.
func printTargets(out io.Writer, r results) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "\nmeasured\tat most\t\t  target\n")
	for _, t := range r.targets() {
		verdict := "met"
		if t.measured > t.most {
			verdict = "MISSED"
		}
		fmt.Fprintf(w, "%.2f\t%.2f\t%s\t  %s\n", t.measured, t.most, verdict, t.name)
	}
	_ = w.Flush()
}
