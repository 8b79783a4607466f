// Package flaky is the primary upstream: it answers "Chien" for a while, then
// fails for a while, over and over, and lets an audience break it by hand.
//
// The schedule decides which fault is in force, animal.go lets callers meet it,
// and api.go is the fault API.
package flaky

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/service"
	"github.com/adapter-hotswap/adapter-hotswap-go/services/upstream"
)

// Settings come from the environment.
type Settings struct {
	Port       int           `env:"PORT" envDefault:"8080" rule:"port" help:"where it serves"`
	Animal     string        `env:"ANIMAL" envDefault:"Chien" rule:"text" help:"what it answers"`
	HealthyFor time.Duration `env:"HEALTHY_FOR" envDefault:"15s" rule:"duration>0" help:"how long it answers in each cycle"`
	FailingFor time.Duration `env:"FAILING_FOR" envDefault:"15s" rule:"duration>=0" help:"how long it then fails; with 0 it never fails by itself"`
	Fault      Kind          `env:"FAULT" envDefault:"timeout" rule:"timeout|error|reset|slow|garbage" help:"how it fails in its cycles"`
	LogFormat  string        `env:"LOG_FORMAT" envDefault:"demo" rule:"demo|text|json" help:"demo prints messages only, text and json all attributes"`
}

// Run opens the port of s and serves until ctx ends.
func Run(ctx context.Context, s Settings, stdout io.Writer) error {
	listener, err := service.Listen("", s.Port)
	if err != nil {
		return err
	}
	return New(s, service.NewLogger(stdout, s.LogFormat, "primary")).Serve(ctx, listener)
}

// Service is the upstream. It is safe for concurrent use.
type Service struct {
	settings Settings
	log      *slog.Logger
	schedule *schedule
	// stopping ends hangs and delays, so that they don't hold up a stop.
	stopping chan struct{}
}

// New returns a service that is yet to Serve. It does not use the settings PORT
// and LOG_FORMAT, which are Run's.
func New(s Settings, log *slog.Logger) *Service {
	cycle := cycle{healthyFor: s.HealthyFor, failingFor: s.FailingFor, fault: newFault(s.Fault)}
	return &Service{settings: s, log: log, schedule: newSchedule(cycle, log), stopping: make(chan struct{})}
}

// Serve begins the first healthy phase and answers on listener until ctx ends,
// then closes it and returns nil. It may be called once.
func (s *Service) Serve(ctx context.Context, listener net.Listener) error {
	s.log.Info("Serving "+s.settings.Animal+" on "+listener.Addr().String(), "animal", s.settings.Animal)
	s.schedule.resume()
	defer s.schedule.stop()
	defer context.AfterFunc(ctx, func() { close(s.stopping) })()
	return service.Serve(ctx, s.log, listener, s.routes())
}

func (s *Service) routes() http.Handler {
	router := service.NewRouter(s.log)
	upstream.Mount(router, http.HandlerFunc(s.animal), func() bool { return s.schedule.now().fault.Kind == None })
	router.Get("/fault", s.getFault)
	router.Put("/fault", s.putFault)
	return router
}
