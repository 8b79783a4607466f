package scenario

import (
	"log/slog"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync"
)

// gate is one instance's path to the primary: a proxy that counts what passes,
// and that a scenario can break for this instance alone.
type gate struct {
	proxy    *httputil.ReverseProxy
	recorder *recorder

	mu sync.Mutex
	// blocked holds requests back until it is closed; nil lets them pass.
	blocked chan struct{}
	// probesPass lets GET /health pass all the same.
	probesPass bool
	// spoilt is how many of the next animals are answered with an error.
	spoilt int
}

func newGate(primary *url.URL, r *recorder) *gate {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 256
	return &gate{recorder: r, proxy: &httputil.ReverseProxy{
		Rewrite:   func(p *httputil.ProxyRequest) { p.SetURL(primary) },
		Transport: transport,
		// Whoever was on the way meets what the primary did: a connection that ends.
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
		ErrorLog:     slog.NewLogLogger(slog.DiscardHandler, slog.LevelDebug),
	}}
}

// block makes the primary hang for this instance; with probesPass its health
// check goes on saying that all is well.
func (g *gate) block(probesPass bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.blocked == nil {
		g.blocked = make(chan struct{})
	}
	g.probesPass = probesPass
}

// open lets everything pass again, animals that were held back included. A probe
// that was held back is lost: its answer would be as old as its question.
func (g *gate) open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.blocked != nil {
		close(g.blocked)
		g.blocked = nil
	}
}

// spoil has the next animal answered with an error.
func (g *gate) spoil() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.spoilt++
}

const animalPath, healthPath = "/animal", "/health"

func (g *gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if blocked := g.blocks(r.URL.Path); blocked != nil {
		select {
		case <-blocked:
		case <-r.Context().Done():
		}
		if r.URL.Path == healthPath || r.Context().Err() != nil {
			panic(http.ErrAbortHandler)
		}
	}
	switch r.URL.Path {
	case animalPath:
		g.recorder.hit(&g.recorder.hits)
		if g.spoils() {
			http.Error(w, "a blip", http.StatusInternalServerError)
			return
		}
	case healthPath:
		g.recorder.hit(&g.recorder.probes)
	}
	g.proxy.ServeHTTP(w, r)
}

func (g *gate) blocks(path string) <-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	if path == healthPath && g.probesPass {
		return nil
	}
	return g.blocked
}

func (g *gate) spoils() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.spoilt == 0 {
		return false
	}
	g.spoilt--
	return true
}

func (g *gate) closeIdle() { g.proxy.Transport.(*http.Transport).CloseIdleConnections() }
