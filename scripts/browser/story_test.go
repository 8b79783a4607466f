package browser

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// TestLivePage goes through what a speaker does on stage and what an audience
// sees, on real containers and a real broker: an outage, a reload in the middle of
// it, a broker that restarts, instances that come and go, a laptop that sleeps.
func TestLivePage(t *testing.T) {
	browser := newBrowser(t)
	s := startStack(t, []string{"HEALTHY_FOR=2h", "POLL_INTERVAL=2s"}, "--scale", "hotswap-more=1")
	one := open(t, browser, s.pages[0]+"/?lang=en&theme=light")
	other := open(t, browser, s.pages[1]+"/?lang=fr")

	v := one.await("three lanes on Chien", func(v view) bool {
		return v.Link == "open" && v.all(3, on("primary", "connected", "p")) && v.Primary == "up"
	})
	if n := v.count("t") + v.count("e"); n != 0 {
		t.Fatalf("%d failures before any fault:\n%+v", n, v)
	}
	one.screenshot("1-healthy")

	outage(t, s, one, other)
	cutAndLetBack(t, s, one)
	brokerRestarts(t, s, one)
	other.duringOutage(func() { // its own instance is among those that come and go
		instancesComeAndGo(t, s, one)
		servingInstanceRestarts(t, s, one)
		laptopSleeps(t, s, one)
		resetAll(t, s.pages, one)
	})
	one.clean(s.pages[0])
	other.clean(s.pages[1])
}

// on says what a lane shows: its adapter, its state and its newest answer.
func on(adapter, state, newest string) func(lane) bool {
	return func(l lane) bool {
		return l.Adapter == adapter && l.State == state && strings.HasSuffix(l.Marks, newest)
	}
}

func outage(t *testing.T, s *stack, one, other *tab) {
	t.Helper()
	one.do(chromedp.SetValue(chromedp.CSS("#lasting"), "60s"))
	one.click(`[data-fault="timeout"]`)
	v := one.await("three lanes on Chat", func(v view) bool { return v.all(3, on("fallback", "connected", "f")) })
	if v.count("t") != 1 || v.Suffered != "1" || v.Independent != "3" || v.Primary != "timeout" || v.Switches != 1 {
		t.Errorf("in the outage: want one timeout in one lane, 1 suffered instead of 3; the page shows\n%+v", v)
	}
	one.screenshot("2-outage")

	one.do(chromedp.Reload())
	again := one.await("the same after a reload", func(v view) bool { return v.all(3, on("fallback", "connected", "f")) && v.Primary == "timeout" })
	if again.count("t") != 1 || again.Suffered != "1" || again.Independent != "3" || again.Switches != 1 {
		t.Errorf("after a reload in the outage the page shows\n%+v", again)
	}
	theirs := other.await("the same on another instance's page", func(v view) bool { return v.all(3, on("fallback", "connected", "f")) })
	if theirs.count("t") != 1 || theirs.Suffered != "1" || theirs.Independent != "3" || theirs.Primary != "timeout" {
		t.Errorf("the page of another instance shows\n%+v", theirs)
	}
	for _, url := range s.pages {
		if body := get(t, url+"/adapter"); !strings.Contains(body, `"active":"fallback"`) {
			t.Errorf("GET /adapter: %s", body)
		}
		if body := get(t, url+"/chaos/primary"); !strings.Contains(body, `"fault":"timeout"`) {
			t.Errorf("GET /chaos/primary: %s", body)
		}
	}

	one.click(`[data-fault="healthy"]`)
	for _, p := range []*tab{one, other} {
		p.await("the recovery", func(v view) bool {
			return v.all(3, on("primary", "connected", "p")) && v.Primary == "up" && v.Switches == 2
		})
	}
	one.screenshot("3-recovered")
}

// cutAndLetBack takes one instance off the bus and lets it back.
func cutAndLetBack(t *testing.T, s *stack, one *tab) {
	t.Helper()
	one.do(chromedp.SetValue(chromedp.CSS("#target"), "hotswap-2"))
	one.click("#cut")
	one.await("hotswap-2 cut off", func(v view) bool {
		return v.lane("hotswap-2").State == "cut" && v.lane("hotswap-1").State == "connected"
	})
	if body := get(t, s.pages[1]+"/adapter"); !strings.Contains(body, `"connected":false`) {
		t.Errorf("GET /adapter of the instance that is cut off: %s", body)
	}
	one.screenshot("4-cut-off")
	one.click("#mend")
	one.await("hotswap-2 back", func(v view) bool { return v.all(3, on("primary", "connected", "p")) })
}

func brokerRestarts(t *testing.T, s *stack, one *tab) {
	t.Helper()
	s.run(t, "stop", "--timeout", "3", "rabbitmq")
	one.await("alone", func(v view) bool { return v.lane("hotswap-1").State == "alone" })
	one.screenshot("5-alone")
	s.run(t, "start", "rabbitmq")
	one.await("all on the bus again", func(v view) bool { return v.all(3, on("primary", "connected", "p")) })
}

func instancesComeAndGo(t *testing.T, s *stack, one *tab) {
	t.Helper()
	s.run(t, "kill", "hotswap-2")
	one.await("hotswap-2 silent", func(v view) bool { return v.lane("hotswap-2").State == "silent" })
	one.screenshot("6-killed")
	s.run(t, "start", "hotswap-2")
	one.await("hotswap-2 in its place", func(v view) bool { return v.all(3, on("primary", "connected", "p")) })
	s.run(t, "up", "--detach", "--no-recreate", "--scale", "hotswap-more=2")
	one.await("a fourth lane", func(v view) bool { return v.all(4, on("primary", "connected", "p")) })
	s.run(t, "up", "--detach", "--no-recreate", "--scale", "hotswap-more=1")
	one.await("the fourth lane gone", func(v view) bool { return v.all(3, on("primary", "connected", "p")) })
}

func servingInstanceRestarts(t *testing.T, s *stack, one *tab) {
	t.Helper()
	one.duringOutage(func() {
		s.run(t, "stop", "hotswap-1")
		one.await("the page knows that it is cut off", func(v view) bool { return v.Link == "lost" })
		one.screenshot("7-page-lost")
		s.run(t, "start", "hotswap-1")
		one.await("the page is back by itself", func(v view) bool { return v.Link == "open" && v.all(3, on("primary", "connected", "p")) })
	})
}

// laptopSleeps stops the browser and every container for a minute.
func laptopSleeps(t *testing.T, s *stack, one *tab) {
	t.Helper()
	one.duringOutage(func() {
		wake := one.stopBrowser()
		s.run(t, "pause")
		time.Sleep(time.Minute)
		s.run(t, "unpause")
		wake()
		one.await("the page after a minute's sleep", func(v view) bool { return v.Link == "open" && v.all(3, on("primary", "connected", "p")) })
	})
}

// resetAll breaks what can be broken and leaves nothing of it behind.
func resetAll(t *testing.T, pages []string, one *tab) {
	t.Helper()
	one.do(chromedp.SetValue(chromedp.CSS("#lasting"), "good"))
	one.click(`[data-fault="error"]`)
	one.await("all on Chat", func(v view) bool { return v.all(3, on("fallback", "connected", "f")) })
	one.click("#pin")
	one.await("all pinned", func(v view) bool { return v.all(3, on("fallback", "pinned", "f")) })
	one.do(chromedp.SetValue(chromedp.CSS("#target"), "hotswap-2"))
	one.click("#cut")
	one.await("one cut off", func(v view) bool { return v.lane("hotswap-2").State == "cut" })
	one.screenshot("8-all-broken")
	one.click("#reset")
	one.await("all well", func(v view) bool { return v.all(3, on("primary", "connected", "p")) && v.Primary == "up" })
	if body := get(t, pages[0]+"/chaos/primary"); !strings.Contains(body, `"mode":"cycle"`) {
		t.Errorf("GET /chaos/primary: %s", body)
	}
	var adapter struct{ Pinned, Connected bool }
	for _, url := range pages {
		if err := json.Unmarshal([]byte(get(t, url+"/adapter")), &adapter); err != nil || adapter.Pinned || !adapter.Connected {
			t.Errorf("GET /adapter: %+v, %v", adapter, err)
		}
	}
}

func get(t *testing.T, url string) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}
