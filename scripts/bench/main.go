// Command bench measures what guarding a call costs, in one run: this module's
// pkg/hotswap beside sony/gobreaker, failsafe-go and a bare context.WithTimeout.
// It prints a table per question, then the targets and whether they were met.
//
//	(cd scripts/bench && go run .)
//
// The same operations are Go benchmarks too: go test -bench .
//
// Times are processor time, so that a machine that is busy with something else
// disturbs them little; it still makes figures larger, by what it does to the
// caches. The ratios, which are what the targets are about, suffer less.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"text/tabwriter"
	"time"
)

func main() {
	rounds := flag.Int("rounds", 40, "turns of each contender")
	turn := flag.Duration("turn", 10*time.Millisecond, "length of a turn")
	flag.Parse()
	fmt.Printf("%s %s/%s, %d cores, %s\n", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.GOMAXPROCS(0), cpu())
	fmt.Println(modules())
	results := make(results)
	for _, s := range sections {
		figures := measure(s, *rounds, *turn)
		results.add(s, figures)
		printSection(os.Stdout, s, figures)
	}
	printTargets(os.Stdout, results)
}

// cpu names the processor, where the system tells.
func cpu() string {
	info, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(info)) {
		if name, ok := strings.CutPrefix(line, "model name"); ok {
			return strings.Trim(name, "\t :\n")
		}
	}
	return "unknown processor"
}

// modules says what was measured.
func modules() string {
	info, _ := debug.ReadBuildInfo()
	var parts []string
	for _, m := range info.Deps {
		if strings.Contains(m.Path, "gobreaker") || strings.HasSuffix(m.Path, "failsafe-go") {
			parts = append(parts, m.Path+" "+m.Version)
		}
	}
	return strings.Join(parts, ", ")
}

// printSection prints one table. Ratios are to the bare context.WithTimeout,
// where the section has it.
func printSection(out io.Writer, s section, all []figures) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "\nns of processor\tserial\t\tparallel\t\tallocs\t  %s\n", s.name)
	for i, c := range s.contenders {
		f := all[i]
		bareSerial, bareParallel := "", ""
		if s.contenders[0].name == bare {
			bareSerial = fmt.Sprintf("× %.2f", typical(f.serial)/typical(all[0].serial))
			bareParallel = fmt.Sprintf("× %.2f", typical(f.parallel)/typical(all[0].parallel))
		}
		fmt.Fprintf(w, "\t%.1f\t%s\t%.1f\t%s\t%.0f\t  %s\n", typical(f.serial), bareSerial, typical(f.parallel), bareParallel, f.allocs, c.name)
	}
	_ = w.Flush()
}
