package web

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
	"time"

	"github.com/go-chi/chi/v5"
)

// page is the live page: plain files, as they are. It asks no other host for
// anything, so that it works where there is no internet.
//
//go:embed page
var page embed.FS

// contentPolicy lets the page load its own files, talk to its own origin, and
// nothing else: no inline script, no frame around it.
const contentPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

var contentTypes = map[string]string{
	".html": "text/html; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".svg":  "image/svg+xml",
}

// mountPage serves each file of the page under its name, and index.html at /.
func mountPage(r chi.Router) {
	files, err := fs.Sub(page, "page")
	if err != nil { // the folder is embedded
		panic(err)
	}
	names, err := fs.Glob(files, "*.*")
	if err != nil {
		panic(err)
	}
	for _, name := range names {
		body, err := fs.ReadFile(files, name)
		if err != nil {
			panic(err)
		}
		at := "/" + name
		if name == "index.html" {
			at = "/"
		}
		r.Get(at, file(name, body))
	}
}

// file answers with body, or 304 to a browser that has it.
func file(name string, body []byte) http.HandlerFunc {
	sum := sha256.Sum256(body)
	tag := `"` + hex.EncodeToString(sum[:8]) + `"`
	return func(out http.ResponseWriter, r *http.Request) {
		header := out.Header()
		header.Set("Content-Type", contentTypes[path.Ext(name)])
		header.Set("Content-Security-Policy", contentPolicy)
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("Referrer-Policy", "no-referrer")
		header.Set("Cache-Control", "no-cache")
		header.Set("ETag", tag)
		http.ServeContent(out, r, name, time.Time{}, bytes.NewReader(body))
	}
}
