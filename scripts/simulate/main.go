// Command simulate shows what a storm of failures costs a cluster, and what each
// way to meet it saves. It runs the real package hotswap over clusters of 10, 100
// and 1,000 instances with 10 callers each, in virtual time: the primary stops
// answering while every caller waits for it, and comes back later.
//
// Virtual time is testing/synctest, which wants a *testing.T. Package testing
// lends one to programs that are not run by "go test", through testing.Main.
package main

import (
	"fmt"
	"os"
	"testing"
	"testing/synctest"
)

func main() {
	table := testing.InternalTest{Name: "Simulation", F: func(t *testing.T) {
		fmt.Print(heading)
		for _, instances := range []int{10, 100, 1000} {
			for _, s := range strategies {
				synctest.Test(t, func(t *testing.T) { fmt.Println(row(s, instances, simulate(t, s, instances))) })
			}
			fmt.Println()
		}
		fmt.Print(legend)
	}}
	os.Args = os.Args[:1]
	testing.Main(func(string, string) (bool, error) { return true, nil }, []testing.InternalTest{table}, nil, nil)
}
