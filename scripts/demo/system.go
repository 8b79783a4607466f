package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"os"
	"sync"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/membus"
	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/service"
	"github.com/adapter-hotswap/adapter-hotswap-go/scripts/demo/internal/prefixed"
	"github.com/adapter-hotswap/adapter-hotswap-go/services/fallback/steady"
	"github.com/adapter-hotswap/adapter-hotswap-go/services/hotswap/composition"
	"github.com/adapter-hotswap/adapter-hotswap-go/services/primary/flaky"
)

// Where the services listen, as in docker-compose.yml, unless the port is taken.
const (
	firstHotswapPort = 8081
	primaryPort      = 9001
	fallbackPort     = 9002
)

// system is everything that compose would start.
type system struct {
	output    *prefixed.Output
	listeners []net.Listener
	upstreams []serve
	instances []serve
}

// serve runs one service until ctx ends.
type serve func(ctx context.Context) error

// newSystem opens the ports and puts the services together. Nothing runs yet.
func newSystem(o options, environ map[string]string, stdout *os.File) (*system, error) {
	names := []string{"primary", "fallback"}
	for i := range o.instances {
		names = append(names, instanceName(i))
	}
	s := &system{output: prefixed.New(stdout, prefixed.Colour(stdout, environ), names...)}
	if err := s.compose(o, environ); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

func instanceName(i int) string { return fmt.Sprintf("hotswap-%d", i+1) }

func (s *system) compose(o options, environ map[string]string) error {
	primary, err := s.addPrimary(environ)
	if err != nil {
		return err
	}
	fallback, err := s.addFallback(environ)
	if err != nil {
		return err
	}
	connect, environ := busOf(o, environ)
	for i := range o.instances {
		own := maps.Clone(environ)
		own["PRIMARY_URL"], own["FALLBACK_URL"], own["INSTANCE"] = primary, fallback, instanceName(i)
		if err := s.addHotswap(i, own, connect); err != nil {
			return err
		}
	}
	return nil
}

// busOf chooses the bus, and the environment that goes with it.
func busOf(o options, environ map[string]string) (composition.Connect, map[string]string) {
	environ = maps.Clone(environ)
	if environ["CHAOS"] == "" {
		environ["CHAOS"] = "on"
	}
	if o.amqp != "" {
		environ["AMQP_URL"] = o.amqp
		return composition.RabbitMQ, environ
	}
	log := membus.New()
	return func(composition.Settings, string, *slog.Logger) (composition.Bus, error) { return log.Connect(), nil }, environ
}

func (s *system) addPrimary(environ map[string]string) (url string, err error) {
	settings, err := service.Load[flaky.Settings](environ)
	if err != nil {
		return "", err
	}
	listener, url, err := s.listen(primaryPort)
	if err != nil {
		return "", err
	}
	primary := flaky.New(settings, service.NewLogger(s.output.Writer("primary"), settings.LogFormat, "primary"))
	s.upstreams = append(s.upstreams, func(ctx context.Context) error { return primary.Serve(ctx, listener) })
	return url, nil
}

func (s *system) addFallback(environ map[string]string) (url string, err error) {
	settings, err := service.Load[steady.Settings](environ)
	if err != nil {
		return "", err
	}
	settings.Animal = "Chat"
	listener, url, err := s.listen(fallbackPort)
	if err != nil {
		return "", err
	}
	fallback := steady.New(settings, service.NewLogger(s.output.Writer("fallback"), settings.LogFormat, "fallback"))
	s.upstreams = append(s.upstreams, func(ctx context.Context) error { return fallback.Serve(ctx, listener) })
	return url, nil
}

func (s *system) addHotswap(i int, environ map[string]string, connect composition.Connect) error {
	settings, err := service.Load[composition.Settings](environ)
	if err != nil {
		return err
	}
	listener, url, err := s.listen(firstHotswapPort + i)
	if err != nil {
		return err
	}
	name := instanceName(i)
	log := service.NewLogger(s.output.Writer(name), settings.LogFormat, name)
	s.instances = append(s.instances, func(ctx context.Context) error {
		instance, err := composition.New(settings, log, listener, connect)
		if err != nil {
			return err
		}
		return instance.Run(ctx)
	})
	_, _ = fmt.Fprintf(s.output, "%s: %s\n", name, url)
	return nil
}

// listen opens the port on the loopback interface, or any free one if it is
// taken.
func (s *system) listen(port int) (net.Listener, string, error) {
	listener, err := service.Listen("127.0.0.1", port)
	if err != nil {
		listener, err = service.Listen("127.0.0.1", 0)
	}
	if err != nil {
		return nil, "", err
	}
	s.listeners = append(s.listeners, listener)
	return listener, "http://" + listener.Addr().String(), nil
}

// run runs every service until ctx ends or one of them fails. The upstreams end
// last: an instance whose call they cut would take that for a failure, and tell.
func (s *system) run(ctx context.Context) error {
	first, endFirst := context.WithCancel(ctx)
	defer endFirst()
	last, endLast := context.WithCancel(context.WithoutCancel(ctx))
	defer endLast()
	upstreams := start(last, endFirst, s.upstreams)
	err := start(first, endFirst, s.instances)()
	endLast()
	return errors.Join(err, upstreams(), s.output.Flush())
}

// start runs services, and calls failed when one of them fails. The returned
// function waits for the end of all.
func start(ctx context.Context, failed func(), services []serve) (wait func() error) {
	errs := make([]error, len(services))
	var running sync.WaitGroup
	for i, run := range services {
		running.Go(func() {
			if errs[i] = run(ctx); errs[i] != nil {
				failed()
			}
		})
	}
	return func() error {
		running.Wait()
		return errors.Join(errs...)
	}
}

func (s *system) close() {
	for _, l := range s.listeners {
		_ = l.Close()
	}
}

var _ io.Writer = (*prefixed.Output)(nil)
