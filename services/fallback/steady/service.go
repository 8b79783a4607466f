// Package steady is the fallback upstream: it answers and never fails.
package steady

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/service"
	"github.com/adapter-hotswap/adapter-hotswap-go/services/upstream"
)

// Settings come from the environment.
type Settings struct {
	Port      int    `env:"PORT" envDefault:"8080" rule:"port" help:"where it serves"`
	Animal    string `env:"ANIMAL" envDefault:"Chat" rule:"text" help:"what it answers"`
	LogFormat string `env:"LOG_FORMAT" envDefault:"demo" rule:"demo|text|json" help:"demo prints messages only, text and json all attributes"`
}

// Run opens the port of s and serves until ctx ends.
func Run(ctx context.Context, s Settings, stdout io.Writer) error {
	listener, err := service.Listen("", s.Port)
	if err != nil {
		return err
	}
	return New(s, service.NewLogger(stdout, s.LogFormat, "fallback")).Serve(ctx, listener)
}

// Service is the upstream. It is safe for concurrent use.
type Service struct {
	settings Settings
	log      *slog.Logger
}

// New returns a service that is yet to Serve. It does not use the settings PORT
// and LOG_FORMAT, which are Run's.
func New(s Settings, log *slog.Logger) *Service { return &Service{settings: s, log: log} }

// Serve answers on listener until ctx ends, then closes it and returns nil.
func (s *Service) Serve(ctx context.Context, listener net.Listener) error {
	s.log.Info("Serving "+s.settings.Animal+" on "+listener.Addr().String(), "animal", s.settings.Animal)
	return service.Serve(ctx, s.log, listener, s.routes())
}

func (s *Service) routes() http.Handler {
	router := service.NewRouter(s.log)
	animal := func(w http.ResponseWriter, _ *http.Request) {
		upstream.Text(w, http.StatusOK, s.settings.Animal)
	}
	upstream.Mount(router, http.HandlerFunc(animal), func() bool { return true })
	return router
}
