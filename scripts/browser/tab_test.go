package browser

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// patience bounds each wait for something that takes seconds. It is long because
// a loaded machine is slow, and no test of this package is about speed.
const patience = 2 * time.Minute

// browser finds a Chromium, or skips the test.
func browser(t *testing.T) string {
	t.Helper()
	if os.Getenv("E2E") == "" {
		t.Skip("starts a browser: set E2E=1 to run it (scripts/test.sh does)")
	}
	for _, name := range []string{os.Getenv("CHROMIUM"), "chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("needs a browser: install chromium, or name one in CHROMIUM")
	return ""
}

// newBrowser starts a browser that ends with the test.
func newBrowser(t *testing.T) context.Context {
	t.Helper()
	ctx, stop := chromedp.NewExecAllocator(t.Context(), chromedp.ExecPath(browser(t)), chromedp.Headless, chromedp.NoSandbox,
		chromedp.DisableGPU, chromedp.Flag("hide-scrollbars", true), chromedp.Flag("lang", "en"))
	t.Cleanup(stop)
	ctx, cancel := chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx, chromedp.Navigate("about:blank")); err != nil {
		t.Fatalf("start the browser: %v", err)
	}
	return ctx
}

// tab is one page, and all that it asked for and complained about.
type tab struct {
	t   *testing.T
	ctx context.Context

	mu       sync.Mutex
	requests []string
	errors   []string
	// outages, while set, excuses failed connections: a service is down on purpose.
	outages bool
}

// open opens the page at url, as large as a projector of 1024×768 shows it.
func open(t *testing.T, browser context.Context, url string) *tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(browser)
	t.Cleanup(cancel)
	p := &tab{t: t, ctx: ctx}
	if err := chromedp.Listen(ctx, p.hear); err != nil {
		t.Fatal(err)
	}
	if _, err := chromedp.Call(ctx, network.Enable, network.EnableParams{}); err != nil {
		t.Fatal(err)
	}
	console := chromedp.Console(ctx)
	go func() {
		for m := range console {
			p.complain(m)
		}
	}()
	p.do(chromedp.EmulateViewport(1024, 768), chromedp.Navigate(url))
	return p
}

func (p *tab) hear(event any) {
	if r, ok := event.(*network.EventRequestWillBeSent); ok {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.requests = append(p.requests, r.Request.URL)
	}
}

func (p *tab) complain(m chromedp.ConsoleMessage) {
	p.mu.Lock()
	defer p.mu.Unlock()
	failed := p.outages && strings.HasPrefix(m.Text, "Failed to load resource: net::ERR_")
	// An instance may be too slow to confirm an order, which the page says, too.
	// Whether it was carried out is for the test to see.
	refused := strings.HasPrefix(m.Text, "Failed to load resource: the server responded") && strings.Contains(m.URL, "/chaos/")
	if bad := m.IsException() || m.Type == "error" || m.Type == "warning"; bad && !failed && !refused {
		p.errors = append(p.errors, m.String()+" "+m.URL)
	}
}

// duringOutage runs f while connections may fail.
func (p *tab) duringOutage(f func()) {
	set := func(on bool) { p.mu.Lock(); defer p.mu.Unlock(); p.outages = on }
	set(true)
	defer set(false)
	f()
}

func (p *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	if err := chromedp.Do(p.ctx, steps...); err != nil {
		p.t.Fatal(err)
	}
}

// eval returns the value of a JavaScript expression.
func eval[T any](p *tab, expression string) T {
	p.t.Helper()
	value, err := chromedp.Run(p.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		p.t.Fatalf("%s: %v", expression, err)
	}
	return value
}

func (p *tab) click(selector string) {
	p.t.Helper()
	p.do(chromedp.Click(chromedp.CSS(selector)))
}

// lane is one lane as it is drawn.
type lane struct {
	Name, Adapter, State, Marks, Position string
}

// view is what the page shows.
type view struct {
	Link                           string
	Lanes                          []lane
	Primary, Suffered, Independent string
	Switches                       int
}

const viewScript = `(() => {
  const text = (e) => e ? e.textContent : '';
  return {
    Link: document.getElementById('link').dataset.state,
    Lanes: [...document.querySelectorAll('#lanes .lane')].map((li) => ({
      Name: li.dataset.name, Adapter: li.dataset.adapter, State: li.dataset.state, Position: text(li.querySelector('.position')),
      Marks: [...li.querySelectorAll('.marks .mark')].map((m) => m.classList[1]).reverse().join(''),
    })),
    Primary: document.getElementById('upstream-primary').dataset.state,
    Suffered: text(document.getElementById('suffered')), Independent: text(document.getElementById('independent')),
    Switches: document.querySelectorAll('#switches li time').length,
  };
})()`

func (p *tab) view() view {
	p.t.Helper()
	return eval[view](p, viewScript)
}

// await waits until the page shows what ok wants, and returns that.
func (p *tab) await(what string, ok func(view) bool) view {
	p.t.Helper()
	var v view
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		if v = p.view(); ok(v) {
			return v
		}
	}
	p.screenshot("failed")
	p.t.Fatalf("waited %v in vain: %s; the page shows\n%+v", patience, what, v)
	return v
}

// all says whether there are n lanes and each is as ok wants.
func (v view) all(n int, ok func(lane) bool) bool {
	for _, l := range v.Lanes {
		if !ok(l) {
			return false
		}
	}
	return len(v.Lanes) == n
}

func (v view) lane(name string) lane {
	for _, l := range v.Lanes {
		if l.Name == name {
			return l
		}
	}
	return lane{}
}

// count counts marks of one kind on the whole page.
func (v view) count(mark string) (n int) {
	for _, l := range v.Lanes {
		n += strings.Count(l.Marks, mark)
	}
	return n
}

// clean checks that nothing was complained about, and no other host asked.
func (p *tab) clean(origins ...string) {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, e := range p.errors {
		p.t.Errorf("in the console: %s", e)
	}
	for _, url := range p.requests {
		known := false
		for _, origin := range origins {
			known = known || strings.HasPrefix(url, origin+"/")
		}
		if !known {
			p.t.Errorf("the page asked for %s", url)
		}
	}
	if len(p.requests) == 0 {
		p.t.Error("no request was seen: the test looks at the wrong place")
	}
}

var screenshots = sync.OnceValue(func() string {
	folder := os.Getenv("SCREENSHOTS")
	if folder == "" {
		folder, _ = os.MkdirTemp("", "screenshots-")
	}
	return folder
})

// screenshot keeps what the page looks like.
func (p *tab) screenshot(name string) {
	p.t.Helper()
	png, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		p.t.Fatal(err)
	}
	path := filepath.Join(screenshots(), fmt.Sprintf("%s-%s.png", p.t.Name(), name))
	if err := os.WriteFile(path, png, 0o644); err != nil {
		p.t.Fatal(err)
	}
	p.t.Log("screenshot: ", path)
}
