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
	services  []func(ctx context.Context) error
}

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
	s.services = append(s.services, func(ctx context.Context) error { return primary.Serve(ctx, listener) })
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
	s.services = append(s.services, func(ctx context.Context) error { return fallback.Serve(ctx, listener) })
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
	s.services = append(s.services, func(ctx context.Context) error {
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

// run runs every service until ctx ends or one of them fails.
func (s *system) run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	errs := make([]error, len(s.services))
	var running sync.WaitGroup
	for i, serve := range s.services {
		running.Go(func() {
			if errs[i] = serve(ctx); errs[i] != nil {
				cancel()
			}
		})
	}
	running.Wait()
	return errors.Join(append(errs, s.output.Flush())...)
}

func (s *system) close() {
	for _, l := range s.listeners {
		_ = l.Close()
	}
}

var _ io.Writer = (*prefixed.Output)(nil)
