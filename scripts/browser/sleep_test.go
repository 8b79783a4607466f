package browser

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// TestLaptopSleeps stops the browser and the whole system in the middle of an
// outage for a minute. Afterwards the page shows what is, by itself.
func TestLaptopSleeps(t *testing.T) {
	browser := newBrowser(t)
	demo := startDemo(t, 3, "HEALTHY_FOR=2h")
	p := open(t, browser, demo.url+"/?lang=en")
	p.await("three lanes on Chien", func(v view) bool { return v.all(3, on("primary", "connected", "p")) })
	p.click(`[data-fault="timeout"]`) // for 20 s, which pass while all sleep
	p.await("three lanes on Chat", func(v view) bool { return v.all(3, on("fallback", "connected", "f")) })
	p.duringOutage(func() {
		wakeBrowser, wakeDemo := p.stopBrowser(), stop(t, demo.pid)
		time.Sleep(time.Minute)
		wakeDemo()
		wakeBrowser()
		p.await("three lanes on Chien after the sleep", func(v view) bool {
			return v.Link == "open" && v.Primary == "up" && v.all(3, on("primary", "connected", "p"))
		})
	})
	before := p.view().lane("hotswap-1").Marks
	p.await("answers that go on", func(v view) bool { return v.lane("hotswap-1").Marks != before })
	resetAll(t, []string{demo.url}, p)
	p.clean(demo.url)
}

// stopBrowser stops every process of the browser, and returns what lets them go on.
func (p *tab) stopBrowser() (wake func()) {
	p.t.Helper()
	return stop(p.t, chromedp.FromContext(p.ctx).Browser.Process().Pid)
}

// stop stops a process and those that it started, as the sleep of a laptop does.
func stop(t *testing.T, pid int) (wake func()) {
	t.Helper()
	family := append([]string{strconv.Itoa(pid)}, descendants(strconv.Itoa(pid))...)
	signal := func(name string) {
		if out, err := exec.Command("kill", append([]string{name}, family...)...).CombinedOutput(); err != nil {
			t.Errorf("kill %s: %v\n%s", name, err, out)
		}
	}
	signal("-STOP")
	return func() { signal("-CONT") }
}

// descendants finds the processes below one, in /proc.
func descendants(parent string) (found []string) {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, file := range stats {
		stat, err := os.ReadFile(file)
		if err != nil {
			continue // it ended meanwhile
		}
		// "pid (name) state parent …", where the name may hold anything.
		fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
		if len(fields) > 1 && string(fields[1]) == parent {
			pid := filepath.Base(filepath.Dir(file))
			found = append(append(found, pid), descendants(pid)...)
		}
	}
	return found
}
