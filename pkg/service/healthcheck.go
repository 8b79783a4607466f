package service

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"time"
)

// livePath answers 200 as long as the process serves, whatever the state of
// what it depends on.
const livePath = "/livez"

const healthcheckTimeout = 2 * time.Second

// healthcheck asks the service that runs beside it in the same container. Only
// PORT is read, so that another bad setting is not reported twice.
func healthcheck[S any](ctx context.Context, environ map[string]string, path []string) error {
	port, err := portOf[S](environ)
	if err != nil {
		return err
	}
	url := "http://" + net.JoinHostPort("127.0.0.1", port) + livePath
	if len(path) > 0 {
		url = "http://" + net.JoinHostPort("127.0.0.1", port) + path[0]
	}
	ctx, cancel := context.WithTimeout(ctx, healthcheckTimeout)
	defer cancel()
	return expectOK(ctx, url)
}

func portOf[S any](environ map[string]string) (string, error) {
	for _, f := range fieldsOf[S]() {
		if f.Name == portVariable {
			value := f.value(environ)
			return value, f.check(value)
		}
	}
	return "", fmt.Errorf("healthcheck: this service has no %s setting", portVariable)
}

func expectOK(ctx context.Context, url string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return fmt.Errorf("healthcheck: %w", err)
	}
	// Its own transport: no proxy of the environment stands between a container
	// and itself.
	transport := &http.Transport{DisableKeepAlives: true}
	response, err := transport.RoundTrip(request)
	if err != nil {
		return fmt.Errorf("healthcheck: GET %s: %w", url, err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("healthcheck: GET %s: %s", url, response.Status)
	}
	return nil
}
