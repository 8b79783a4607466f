package upstream

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"
)

// maxFault bounds what the fault API says, in bytes.
const maxFault = 16 << 10

// faultTimeout bounds a question to the fault API, which is never hit by a
// fault.
const faultTimeout = 3 * time.Second

// Fault asks the upstream's fault API what is in force. The error matches
// ErrStatus where the upstream has no such API.
func (a *Adapter) Fault(ctx context.Context) (json.RawMessage, error) {
	status, body, err := a.fault(ctx, http.MethodGet, nil)
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("%w %d", ErrStatus, status)
	}
	return body, err
}

// SetFault hands an order to the upstream's fault API and returns its answer as
// it is, refusals included.
func (a *Adapter) SetFault(ctx context.Context, order []byte) (status int, answer []byte, err error) {
	return a.fault(ctx, http.MethodPut, order)
}

func (a *Adapter) fault(ctx context.Context, method string, body []byte) (int, []byte, error) {
	ctx, cancel := context.WithTimeout(ctx, faultTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, a.base.JoinPath("fault").String(), bytes.NewReader(body))
	if err != nil {
		return 0, nil, fmt.Errorf("%s fault: %w", method, err)
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := a.client.Do(request)
	if err != nil {
		return 0, nil, fmt.Errorf("%s fault: %w", method, err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(response.Body, maxFault))
	return response.StatusCode, answer, err
}
