package browser

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// TestAccessibility asks Chromium's own accessibility tree and style engine, in
// every language and theme, in the middle of an outage with an instance cut off.
func TestAccessibility(t *testing.T) {
	browser := newBrowser(t)
	url := startDemo(t, 3, "HEALTHY_FOR=2h").url
	p := open(t, browser, url+"/?lang=en&theme=light")
	p.await("three lanes", func(v view) bool { return v.all(3, on("primary", "connected", "p")) })
	p.do(chromedp.SetValue(chromedp.CSS("#target"), "hotswap-2"))
	p.click(`[data-fault="timeout"]`)
	p.await("an outage", func(v view) bool { return v.all(3, on("fallback", "connected", "f")) })
	p.click("#cut")
	p.await("one cut off", func(v view) bool { return v.lane("hotswap-2").State == "cut" })

	for _, language := range []string{"en", "fr", "zh"} {
		for _, theme := range []string{"light", "dark"} {
			t.Run(language+" "+theme, func(t *testing.T) {
				choose(p, "language", language)
				choose(p, "theme", theme)
				everythingHasAName(t, p)
				contrast(t, p)
				nothingIsCutOff(t, p)
			})
		}
	}
	t.Run("keyboard", func(t *testing.T) { keyboard(t, p) })
	t.Run("reduced motion", func(t *testing.T) { reducedMotion(t, p) })
	t.Run("live regions", func(t *testing.T) { liveRegions(t, p) })
	p.clean(url)
}

func choose(p *tab, id, value string) {
	p.t.Helper()
	eval[bool](p, fmt.Sprintf(`(() => { const s = document.getElementById(%q); s.value = %q; s.dispatchEvent(new Event('change')); return true })()`, id, value))
}

// mustHaveNames are the roles that say nothing without a name.
var mustHaveNames = map[string]bool{"button": true, "combobox": true, "textbox": true, "link": true, "checkbox": true,
	"image": true, "heading": true, "region": true, "group": true, "MenuListPopup": false}

func everythingHasAName(t *testing.T, p *tab) {
	t.Helper()
	tree, err := chromedp.Call(p.ctx, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]int{}
	for _, node := range tree.Nodes {
		role := word(node.Role)
		if node.Ignored || !mustHaveNames[role] {
			continue
		}
		named[role]++
		if word(node.Name) == "" {
			t.Errorf("a %s has no name (node %s)", role, node.NodeID)
		}
	}
	if named["button"] < 10 || named["combobox"] < 4 || named["image"] < 3 || named["heading"] < 4 {
		t.Errorf("the tree holds %v: the test looks at the wrong place", named)
	}
}

func word(v *accessibility.Value) string {
	if v == nil {
		return ""
	}
	var text string
	_ = json.Unmarshal(v.Value, &text) // a value that is no string is no word
	return text
}

// poor is a text, or a mark, that is hard to see.
type poor struct {
	What  string
	Ratio float64
	Want  float64
}

// contrastScript finds what is below AA of WCAG 2.2: 4.5 for text, 3 for large
// text and for shapes that mean something.
const contrastScript = `(() => {
  const parse = (c) => { const m = c.match(/[\d.]+/g).map(Number); return { r: m[0], g: m[1], b: m[2], a: m[3] ?? 1 }; };
  const over = (top, under) => ['r', 'g', 'b'].reduce((c, k) => ({ ...c, [k]: top[k] * top.a + under[k] * (1 - top.a) }), { a: 1 });
  const linear = (v) => { v /= 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; };
  const luminance = (c) => 0.2126 * linear(c.r) + 0.7152 * linear(c.g) + 0.0722 * linear(c.b);
  const ratio = (a, b) => { const [x, y] = [luminance(a), luminance(b)].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05); };
  const ground = (e) => {
    let c = { r: 0, g: 0, b: 0, a: 0 };
    const layers = [];
    for (; e; e = e.parentElement) layers.push(parse(getComputedStyle(e).backgroundColor));
    c = { r: 255, g: 255, b: 255, a: 1 };
    for (const layer of layers.reverse()) c = over(layer, c);
    return c;
  };
  const opacity = (e) => { let o = 1; for (; e; e = e.parentElement) o *= Number(getComputedStyle(e).opacity); return o; };
  const seen = (e) => e.checkVisibility({ visibilityProperty: true }) && !e.closest('.hidden');
  const found = [];
  let looked = 0;
  for (const e of document.querySelectorAll('body *')) {
    const style = getComputedStyle(e);
    const text = [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
    if (text && seen(e) && !['OPTION', 'SCRIPT', 'STYLE', 'NOSCRIPT'].includes(e.tagName)) {
      looked++;
      const size = parseFloat(style.fontSize), bold = Number(style.fontWeight) >= 700;
      const want = size >= 24 || (bold && size >= 18.66) ? 3 : 4.5;
      const color = parse(style.color); color.a *= opacity(e);
      const under = ground(e), got = ratio(over(color, under), under);
      if (got < want) found.push({ What: e.tagName + ' "' + e.textContent.trim().slice(0, 40) + '"', Ratio: got, Want: want });
    }
    if (e.matches('svg.mark') && seen(e) && !e.closest('.upstream, .silent')) {
      looked++;
      const under = ground(e), got = ratio(parse(style.fill), under);
      if (got < 3) found.push({ What: 'mark ' + e.getAttribute('class'), Ratio: got, Want: 3 });
    }
  }
  if (looked < 40) found.push({ What: 'only ' + looked + ' things were looked at', Ratio: 0, Want: 0 });
  return found;
})()`

func contrast(t *testing.T, p *tab) {
	t.Helper()
	for _, found := range eval[[]poor](p, contrastScript) {
		t.Errorf("%s: contrast %.2f, want %.1f", found.What, found.Ratio, found.Want)
	}
}

// nothingIsCutOff looks for texts that do not fit, and for a page that has to be
// scrolled on a projector.
func nothingIsCutOff(t *testing.T, p *tab) {
	t.Helper()
	for _, text := range eval[[]string](p, `[...document.querySelectorAll('button, .name, .how .state, h3, dt, dd, .upstream .state, #summary')]
		.filter((e) => e.checkVisibility() && (e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).display !== 'inline')).map((e) => e.textContent)`) {
		t.Errorf("%q does not fit", text)
	}
	if height := eval[int](p, `document.documentElement.scrollHeight`); height > 768 {
		t.Errorf("the page is %d pixels high, a projector shows 768", height)
	}
}

// keyboard walks through the page with the Tab key, and works a button.
func keyboard(t *testing.T, p *tab) {
	t.Helper()
	wanted := eval[int](p, `[...document.querySelectorAll('button, select, [tabindex="0"]')].filter((e) => e.checkVisibility()).length`)
	eval[bool](p, `(() => { document.activeElement.blur(); window.visited = new Set(); return true })()`)
	for range wanted + 2 {
		p.do(chromedp.KeyEvent("\t"))
		if !eval[bool](p, `(() => { const e = document.activeElement; if (e === document.body) return true; visited.add(e);
			const s = getComputedStyle(e); return s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) >= 2 })()`) {
			t.Errorf("the focus can't be seen on %q", eval[string](p, `document.activeElement.outerHTML`))
		}
	}
	if got := eval[int](p, `visited.size`); got < wanted {
		t.Errorf("Tab reaches %d of %d controls", got, wanted)
	}
	eval[bool](p, `(() => { document.getElementById('reset').focus(); return true })()`)
	p.do(chromedp.KeyEvent("\r"))
	p.await("everything reset by the Enter key", func(v view) bool { return v.all(3, on("primary", "connected", "p")) })
}

func reducedMotion(t *testing.T, p *tab) {
	t.Helper()
	moves := `(() => { const m = document.createElement('span'); m.className = 'new'; document.querySelector('.marks').append(m);
		const name = getComputedStyle(m).animationName; m.remove(); return name })()`
	if got := eval[string](p, moves); got != "arrive" {
		t.Errorf("new marks move by %q", got)
	}
	if _, err := chromedp.Call(p.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-reduced-motion", Value: "reduce"}}}); err != nil {
		t.Fatal(err)
	}
	if got := eval[string](p, moves); got != "none" {
		t.Errorf("with reduced motion, new marks move by %q", got)
	}
}

// liveRegions checks that answers, which come every second, are not read out, and
// that a switch is.
func liveRegions(t *testing.T, p *tab) {
	t.Helper()
	if n := eval[int](p, `document.querySelectorAll('#lanes [aria-live], #lanes [role="status"], .top [aria-live]').length`); n != 0 {
		t.Errorf("%d live regions would chatter", n)
	}
	eval[bool](p, `(() => { window.said = []; new MutationObserver(() => said.push(document.getElementById('news').textContent))
		.observe(document.getElementById('news'), { childList: true, characterData: true, subtree: true }); return true })()`)
	p.click("#to-fallback")
	p.await("a switch by hand", func(v view) bool { return v.all(3, on("fallback", "connected", "f")) })
	for !eval[bool](p, `said.some((s) => s.includes('fallback'))`) {
		if t.Context().Err() != nil {
			t.Fatal("the switch is not announced")
		}
	}
	if said := eval[int](p, `said.length`); said > 3 {
		t.Errorf("%d announcements for one switch", said)
	}
}
