package service

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/service/problem"
)

const (
	// headerTimeout and bodyTimeout bound how long a caller may take to send its
	// request. Answers are not bounded: an event stream and an upstream that hangs
	// on purpose have no natural end.
	headerTimeout = 5 * time.Second
	bodyTimeout   = 5 * time.Second
	idleTimeout   = time.Minute
	// gracePeriod is for requests to finish by themselves after the service was
	// told to stop; cutPeriod is for handlers to return after their requests'
	// contexts were ended. Together they stay below the 2 s that a stop may take.
	gracePeriod = time.Second
	cutPeriod   = 500 * time.Millisecond
)

// Listen opens the port of a service, on every interface when host is empty.
// Port 0 takes any free one: the listener's Addr tells which. The error names
// the PORT setting.
func Listen(host string, port int) (net.Listener, error) {
	listener, err := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(port)))
	if err != nil {
		return nil, fmt.Errorf("%s=\"%d\": must be a port that is free: %w", portVariable, port, err)
	}
	return listener, nil
}

// NewRouter returns a router whose every error is a problem document: unknown
// path, method that a path lacks, panic in a handler. HEAD is answered wherever
// GET is.
func NewRouter(log *slog.Logger) chi.Router {
	router := chi.NewRouter()
	router.Use(problem.Recover(log), middleware.GetHead)
	router.NotFound(problem.NotFound)
	router.MethodNotAllowed(problem.MethodNotAllowed)
	return router
}

// Serve answers requests on listener until ctx ends, and returns nil after such
// a stop. It closes listener in any case. Requests in flight then have a second
// to finish; after it their contexts end and their connections are closed.
// A request whose body does not arrive within 5 seconds can't be read further.
//
// Handlers that stream or hang should also watch the context of their service,
// so that a stop does not have to wait for that second.
//
// When Serve returns no goroutine of it is left, unless a handler ignored the
// end of its request's context, which is an error.
func Serve(ctx context.Context, log *slog.Logger, listener net.Listener, handler http.Handler) error {
	requests, cut := context.WithCancel(context.WithoutCancel(ctx))
	defer cut()
	var running sync.WaitGroup
	server := &http.Server{
		Handler:           counted(&running, withBodyDeadline(handler)),
		BaseContext:       func(net.Listener) context.Context { return requests },
		ReadHeaderTimeout: headerTimeout,
		IdleTimeout:       idleTimeout,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	select {
	case err := <-served:
		server.Close()
		return fmt.Errorf("serve %s: %w", listener.Addr(), err)
	case <-ctx.Done():
	}
	err := shutDown(server, cut, &running)
	<-served
	return err
}

func shutDown(server *http.Server, cut context.CancelFunc, running *sync.WaitGroup) error {
	grace, cancel := context.WithTimeout(context.Background(), gracePeriod)
	defer cancel()
	err := server.Shutdown(grace)
	if err != nil {
		server.Close()
	}
	cut()
	// Also after a Shutdown that succeeded: it does not know of connections that a
	// handler took over.
	if !waited(running, cutPeriod) {
		return errors.New("stopped while a request was still being handled")
	}
	return nil
}

func counted(running *sync.WaitGroup, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		running.Add(1)
		defer running.Done()
		next.ServeHTTP(w, r)
	})
}

func waited(running *sync.WaitGroup, bound time.Duration) bool {
	done := make(chan struct{})
	go func() { running.Wait(); close(done) }()
	select {
	case <-done:
		return true
	case <-time.After(bound):
		return false
	}
}
