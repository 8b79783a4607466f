// Package upstream is a driven adapter: it implements animal.AnimalPort by asking
// an HTTP service. The primary and the fallback are two of it.
package upstream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/hotswap"
)

// Errors of an answer that can't be used.
var (
	// ErrStatus is matched when the status is not 200.
	ErrStatus = errors.New("unexpected status")
	// ErrNoAnimal is matched when the body is no animal.
	ErrNoAnimal = errors.New("no animal in the body")
	// ErrDown is matched by Health when the service says that it is not UP.
	ErrDown = errors.New("not UP")
)

// maxAnimal bounds an animal, in bytes.
const maxAnimal = 64

// Adapter asks one HTTP service. It is safe for concurrent use.
type Adapter struct {
	base   *url.URL
	client *http.Client
}

// New makes the adapter of the service at base. Calls are bounded by their
// contexts alone. CloseIdle lets its connections go.
func New(base *url.URL) *Adapter {
	transport := &http.Transport{
		MaxIdleConns: 256, MaxIdleConnsPerHost: 256, IdleConnTimeout: 90 * time.Second,
	}
	return &Adapter{base: base, client: &http.Client{Transport: transport}}
}

// CloseIdle closes the connections that are not in use.
func (a *Adapter) CloseIdle() { a.client.CloseIdleConnections() }

// Animal implements animal.AnimalPort.
func (a *Adapter) Animal(ctx context.Context) (string, error) {
	status, body, err := a.get(ctx, "animal")
	switch {
	case err != nil:
		return "", err
	case status >= 500:
		return "", hotswap.Failure(fmt.Sprintf("error (HTTP %d)", status), fmt.Errorf("%w %d", ErrStatus, status))
	case status != http.StatusOK:
		return "", hotswap.Answer(fmt.Errorf("%w %d", ErrStatus, status))
	case !isAnimal(body):
		return "", hotswap.Failure("invalid answer", fmt.Errorf("%w: %.32q", ErrNoAnimal, body))
	}
	return body, nil
}

// Health asks whether the service is UP (article, "Recovery detection").
func (a *Adapter) Health(ctx context.Context) error {
	status, body, err := a.get(ctx, "health")
	switch {
	case err != nil:
		return err
	case status != http.StatusOK:
		return fmt.Errorf("%w: HTTP %d", ErrDown, status)
	case body != "UP":
		return fmt.Errorf("%w: %.32q", ErrDown, body)
	}
	return nil
}

func (a *Adapter) get(ctx context.Context, path string) (status int, body string, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, a.base.JoinPath(path).String(), nil)
	if err != nil {
		return 0, "", fmt.Errorf("ask for %s: %w", path, err)
	}
	response, err := a.client.Do(request)
	if err != nil {
		return 0, "", fmt.Errorf("ask for %s: %w", path, err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, maxAnimal+1))
	if err != nil {
		return 0, "", fmt.Errorf("read %s: %w", path, err)
	}
	return response.StatusCode, strings.TrimSpace(string(text)), nil
}

// isAnimal takes one word, in any script.
func isAnimal(body string) bool {
	return body != "" && len(body) <= maxAnimal && utf8.ValidString(body) &&
		!strings.ContainsFunc(body, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) && r != '-' })
}
