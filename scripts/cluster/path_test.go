package cluster

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync"
	"testing"
	"time"
)

// path is a way to the primary: a proxy that counts, and that can be cut.
type path struct {
	url   string
	proxy *httputil.ReverseProxy

	mu   sync.Mutex
	cut  chan struct{} // closed when it is mended; nil: it works
	hits []time.Time   // requests for an animal
}

func newPath(t *testing.T, primary string) *path {
	t.Helper()
	target, err := url.Parse(primary)
	if err != nil {
		t.Fatal(err)
	}
	p := &path{proxy: &httputil.ReverseProxy{
		Rewrite:      func(r *httputil.ProxyRequest) { r.SetURL(target) },
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
	}}
	server := httptest.NewServer(p)
	t.Cleanup(server.Close)
	t.Cleanup(p.mend)
	p.url = server.URL
	return p
}

func (p *path) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if mended := p.arrive(r.URL.Path); mended != nil {
		select {
		case <-mended:
		case <-r.Context().Done():
		}
		panic(http.ErrAbortHandler) // what was lost on the way stays lost
	}
	p.proxy.ServeHTTP(w, r)
}

func (p *path) arrive(route string) <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cut == nil && route == "/animal" {
		p.hits = append(p.hits, time.Now())
	}
	return p.cut
}

// breakDown has everything hang that goes this way.
func (p *path) breakDown() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cut == nil {
		p.cut = make(chan struct{})
	}
}

func (p *path) mend() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cut != nil {
		close(p.cut)
		p.cut = nil
	}
}

// passed counts the requests for an animal from from on and before to.
func (p *path) passed(from, to time.Time) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := 0
	for _, at := range p.hits {
		if !at.Before(from) && at.Before(to) {
			n++
		}
	}
	return n
}
