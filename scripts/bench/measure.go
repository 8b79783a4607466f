package main

import (
	"runtime"
	"slices"
	"sync"
	"time"
)

// figures are what one contender costs.
type figures struct {
	serial, parallel []float64 // ns per operation, one per round
	allocs           float64
}

// typical is the middle one of the rounds.
func typical(rounds []float64) float64 {
	rounds = slices.Sorted(slices.Values(rounds))
	return rounds[len(rounds)/2]
}

// measure gives every contender of a section its turn in each round, so that
// whatever changes meanwhile changes for all.
func measure(s section, rounds int, turn time.Duration) []figures {
	all := make([]figures, len(s.contenders))
	var ops, stops []func()
	for i, c := range s.contenders {
		op, stop := c.make()
		ops, stops = append(ops, op), append(stops, stop)
		all[i].allocs = allocations(op)
	}
	for range rounds {
		for i, op := range ops {
			n := calibrate(op, turn)
			all[i].serial = append(all[i].serial, perOperation(op, n, 1)/float64(s.times))
			all[i].parallel = append(all[i].parallel, perOperation(op, n, runtime.GOMAXPROCS(0))/float64(s.times))
		}
	}
	for _, stop := range stops {
		stop()
	}
	return all
}

// calibrate returns how many operations take about a turn.
func calibrate(op func(), turn time.Duration) int {
	const sample = 200
	took := max(perOperation(op, sample, 1), 1)
	return max(sample, int(float64(turn)/took))
}

// perOperation runs op n times on each of some goroutines, and returns what one
// took of the processors. Waiting for a turn on a busy machine is not in it,
// collecting the garbage is.
func perOperation(op func(), n, goroutines int) float64 {
	var workers sync.WaitGroup
	before := spent()
	for range goroutines {
		workers.Go(func() {
			for range n {
				op()
			}
		})
	}
	workers.Wait()
	return float64(spent()-before) / float64(n*goroutines)
}

func allocations(op func()) float64 {
	const n = 1000
	op()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range n {
		op()
	}
	runtime.ReadMemStats(&after)
	return float64((after.Mallocs - before.Mallocs) / n)
}
