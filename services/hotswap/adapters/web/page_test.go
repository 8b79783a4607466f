package web_test

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestPageIsServed(t *testing.T) {
	s := serve(t, true)
	for path, contentType := range map[string]string{
		"/": "text/html; charset=utf-8", "/page.css": "text/css; charset=utf-8", "/page.js": "text/javascript; charset=utf-8",
		"/text.js": "text/javascript; charset=utf-8", "/icon.svg": "image/svg+xml",
	} {
		response, body := s.do(t, http.MethodGet, path, "")
		policy := response.Header.Get("Content-Security-Policy")
		if response.StatusCode != http.StatusOK || response.Header.Get("Content-Type") != contentType || body == "" {
			t.Errorf("%s: %d, %s", path, response.StatusCode, response.Header.Get("Content-Type"))
		}
		if !strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "unsafe") || !strings.Contains(policy, "frame-ancestors 'none'") {
			t.Errorf("%s: policy %q", path, policy)
		}
		if response.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: no nosniff", path)
		}
		tag := response.Header.Get("ETag")
		if again, _ := s.do(t, http.MethodGet, path, "", "If-None-Match: "+tag); again.StatusCode != http.StatusNotModified {
			t.Errorf("%s: %d for a browser that has it", path, again.StatusCode)
		}
	}
	if response, _ := s.do(t, http.MethodGet, "/index.html", ""); response.StatusCode != http.StatusNotFound {
		t.Errorf("/index.html: %d", response.StatusCode)
	}
}

// The page works where there is no internet, under a policy without inline code:
// no file of it names another host, and none has a script or a style within
// another.
func TestPageIsSelfContained(t *testing.T) {
	inline := regexp.MustCompile(`(?i)\son\w+=|\sstyle=|<style|<script>|javascript:`)
	url := regexp.MustCompile(`(?i)(https?:)?//[a-z0-9.-]+\.[a-z]{2,}`)
	for name, text := range pageFiles(t) {
		for _, found := range url.FindAllString(text, -1) {
			if !strings.Contains(found, "www.w3.org") { // the name of SVG, which nothing fetches
				t.Errorf("%s names %s", name, found)
			}
		}
		if found := inline.FindString(text); found != "" && strings.HasSuffix(name, ".html") {
			t.Errorf("%s has inline code: %q", name, found)
		}
	}
}

func pageFiles(t *testing.T) map[string]string {
	t.Helper()
	names, err := filepath.Glob("page/*")
	if err != nil || len(names) < 5 {
		t.Fatalf("files of the page: %v, %v", names, err)
	}
	files := map[string]string{}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files[filepath.Base(name)] = string(text)
	}
	return files
}

// Every text exists in the three languages, with the same values in it, and each
// that the page asks for exists.
func TestTexts(t *testing.T) {
	files := pageFiles(t)
	texts := map[string]map[string]string{}
	for _, language := range []string{"en", "fr", "zh"} {
		texts[language] = textsOf(t, files["text.js"], language)
	}
	values := regexp.MustCompile(`\{\w+\}`)
	for key, english := range texts["en"] {
		for _, language := range []string{"fr", "zh"} {
			translated, ok := texts[language][key]
			if want, got := valuesIn(values, english), valuesIn(values, translated); !ok || !slices.Equal(want, got) {
				t.Errorf("%s: %q is %q, with %q; want %q", language, key, translated, got, want)
			}
		}
	}
	for _, language := range []string{"fr", "zh"} {
		if len(texts[language]) != len(texts["en"]) {
			t.Errorf("%s has %d texts, English %d", language, len(texts[language]), len(texts["en"]))
		}
	}
	for _, found := range regexp.MustCompile(`data-t(?:-label)?="(\w+)"`).FindAllStringSubmatch(files["index.html"], -1) {
		if texts["en"][found[1]] == "" {
			t.Errorf("index.html asks for the text %q", found[1])
		}
	}
	for name, text := range files {
		for _, found := range regexp.MustCompile(`\bt\('(\w+)'`).FindAllStringSubmatch(text, -1) {
			if texts["en"][found[1]] == "" {
				t.Errorf("%s asks for the text %q", name, found[1])
			}
		}
	}
}

func valuesIn(values *regexp.Regexp, text string) []string {
	found := values.FindAllString(text, -1)
	slices.Sort(found)
	return found
}

func textsOf(t *testing.T, file, language string) map[string]string {
	t.Helper()
	_, rest, ok := strings.Cut(file, "\n  "+language+": {\n")
	block, _, _ := strings.Cut(rest, "\n  },\n")
	if !ok {
		t.Fatalf("no texts in %s", language)
	}
	found := map[string]string{}
	for _, m := range regexp.MustCompile(`(\w+|'[^']+'): '([^']*)'`).FindAllStringSubmatch(block, -1) {
		found[strings.Trim(m[1], "'")] = m[2]
	}
	return found
}
