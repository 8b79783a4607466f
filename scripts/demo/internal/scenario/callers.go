package scenario

import (
	"context"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"time"
)

// callers make traffic, over HTTP.
type callers struct {
	client   *http.Client
	recorder *recorder
}

func newCallers(r *recorder) *callers {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConns, transport.MaxIdleConnsPerHost = 0, 256
	return &callers{client: &http.Client{Transport: transport}, recorder: r}
}

// ask asks for one animal and counts the answer.
func (c *callers) ask(ctx context.Context, url string) {
	began := time.Now()
	animal, err := c.get(ctx, url+animalPath)
	if ctx.Err() != nil {
		return
	}
	if err != nil {
		animal = ""
	}
	c.recorder.answered(animal, time.Since(began))
}

// get returns the body of an answer with status 200, otherwise "".
func (c *callers) get(ctx context.Context, url string) (string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return "", err
	}
	response, err := c.client.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if response.StatusCode != http.StatusOK {
		return "", err
	}
	return strings.TrimSpace(string(body)), err
}

// call makes n callers that ask url again and again until ctx ends.
func (c *callers) call(ctx context.Context, running *sync.WaitGroup, url string, n int, think time.Duration) {
	for range n {
		running.Go(func() {
			for sleep(ctx, time.Duration(rand.Float64()*float64(think))) {
				c.ask(ctx, url)
				if !sleep(ctx, think/2) {
					return
				}
			}
		})
	}
}

// burst has n callers ask each of the urls once, all at the same moment, and
// returns when they are answered.
func (c *callers) burst(ctx context.Context, urls []string, n int) {
	var running sync.WaitGroup
	now := make(chan struct{})
	for _, url := range urls {
		for range n {
			running.Go(func() {
				<-now
				c.ask(ctx, url)
			})
		}
	}
	close(now)
	running.Wait()
}

// sleep reports whether the time passed before ctx ended.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
