package scenario

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"sync"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/service"
	"github.com/adapter-hotswap/adapter-hotswap-go/services/fallback/steady"
	"github.com/adapter-hotswap/adapter-hotswap-go/services/primary/flaky"
)

// upstreams are the primary, the fallback and each instance's gate to the
// primary.
type upstreams struct {
	primary, fallback string   // their URLs
	gates             []*gate  // by instance
	gateURLs          []string // by instance

	stop    context.CancelFunc
	running sync.WaitGroup
	mu      sync.Mutex
	errs    []error
}

// serves is one of them that is yet to serve.
type serves func(ctx context.Context, listener net.Listener) error

func openUpstreams(instances int, r *recorder) (*upstreams, error) {
	steadyPrimary := map[string]string{"FAILING_FOR": "0s"} // it fails on order only
	primary, err := service.Load[flaky.Settings](steadyPrimary)
	if err != nil {
		return nil, err
	}
	silent := slog.New(slog.DiscardHandler)
	ctx, stop := context.WithCancel(context.Background())
	u := &upstreams{stop: stop}
	u.primary = u.open(ctx, flaky.New(primary, silent).Serve)
	u.fallback = u.open(ctx, steady.New(steady.Settings{Animal: "Chat"}, silent).Serve)
	target, err := url.Parse(u.primary)
	u.note(err)
	for range instances {
		g := newGate(target, r)
		u.gates = append(u.gates, g)
		u.gateURLs = append(u.gateURLs, u.open(ctx, serveHTTP(g)))
	}
	if err := errors.Join(u.errs...); err != nil {
		return nil, errors.Join(err, u.close())
	}
	return u, nil
}

func serveHTTP(h http.Handler) serves {
	return func(ctx context.Context, listener net.Listener) error {
		return service.Serve(ctx, slog.New(slog.DiscardHandler), listener, h)
	}
}

// open serves on a free port and returns the URL.
func (u *upstreams) open(ctx context.Context, serve serves) string {
	listener, err := service.Listen("127.0.0.1", 0)
	if err != nil {
		u.note(err)
		return ""
	}
	u.running.Go(func() { u.note(serve(ctx, listener)) })
	return "http://" + listener.Addr().String()
}

func (u *upstreams) note(err error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.errs = append(u.errs, err)
}

func (u *upstreams) close() error {
	for _, g := range u.gates {
		g.open()
	}
	u.stop()
	u.running.Wait()
	for _, g := range u.gates {
		g.closeIdle()
	}
	return errors.Join(u.errs...)
}
