package browser

import (
	"testing"

	"github.com/chromedp/chromedp"
)

// TestScreenshots keeps what the page looks like, for people to judge.
func TestScreenshots(t *testing.T) {
	browser := newBrowser(t)
	url := startDemo(t, 3, "HEALTHY_FOR=2h").url
	p := open(t, browser, url+"/?lang=en&theme=light")
	p.await("some answers", func(v view) bool { return v.all(3, func(l lane) bool { return len(l.Marks) > 8 }) })
	p.click(`[data-fault="timeout"]`)
	p.await("an outage", func(v view) bool { return v.all(3, on("fallback", "connected", "ff")) })
	for _, shot := range [][2]string{{"en", "light"}, {"fr", "light"}, {"zh", "light"}, {"zh", "dark"}, {"en", "dark"}} {
		choose(p, "language", shot[0])
		choose(p, "theme", shot[1])
		p.screenshot(shot[0] + "-" + shot[1])
	}
	p.do(chromedp.EmulateViewport(1920, 1080))
	p.screenshot("1920x1080")
	p.do(chromedp.EmulateViewport(390, 844))
	p.screenshot("phone")
}

// TestSixInstances fits six lanes on a projector.
func TestSixInstances(t *testing.T) {
	browser := newBrowser(t)
	url := startDemo(t, 6, "HEALTHY_FOR=2h").url
	p := open(t, browser, url+"/?lang=fr&theme=light")
	p.await("six lanes", func(v view) bool { return v.all(6, on("primary", "connected", "ppp")) })
	nothingIsCutOff(t, p)
	p.screenshot("healthy")
	p.clean(url)
}

// TestFiftyInstances fits fifty lanes on a projector.
func TestFiftyInstances(t *testing.T) {
	browser := newBrowser(t)
	url := startDemo(t, 50, "HEALTHY_FOR=2h").url
	p := open(t, browser, url+"/?lang=en&theme=light")
	p.await("fifty lanes", func(v view) bool { return v.all(50, on("primary", "connected", "p")) })
	p.click(`[data-fault="timeout"]`)
	v := p.await("fifty lanes on Chat", func(v view) bool { return v.all(50, on("fallback", "connected", "f")) })
	t.Logf("timeouts: %s instead of %s", v.Suffered, v.Independent)
	if v.Independent != "50" {
		t.Errorf("with independent circuit breakers: %s timeouts, want 50", v.Independent)
	}
	nothingIsCutOff(t, p)
	p.screenshot("outage")
	p.click("#reset")
	p.await("fifty lanes on Chien", func(v view) bool { return v.all(50, on("primary", "connected", "p")) })
	p.clean(url)
}
