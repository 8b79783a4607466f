package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// status is what GET /adapter says.
type status struct {
	Active    string `json:"active"`
	InForce   string `json:"inForce"`
	Position  uint64 `json:"position"`
	Connected bool   `json:"connected"`
	Pinned    bool   `json:"pinned"`
	Alone     bool   `json:"alone"`
}

// client gives up long before the test does.
var client = &http.Client{Timeout: 20 * time.Second}

// request returns the status code and the body.
func request(ctx context.Context, method, url, body string) (int, string, error) {
	r, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	r.Header.Set("Content-Type", "application/json")
	response, err := client.Do(r)
	if err != nil {
		return 0, "", err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return response.StatusCode, string(text), err
}

// get returns the body; "" while the service is not to be had.
func get(t *testing.T, url string) string {
	t.Helper()
	_, body, err := request(t.Context(), http.MethodGet, url, "")
	if err != nil {
		return ""
	}
	return body
}

func put(t *testing.T, url, body string) {
	t.Helper()
	code, answer, err := request(t.Context(), http.MethodPut, url, body)
	if err != nil || code != http.StatusOK {
		t.Fatalf("PUT %s %s: %d %s %v", url, body, code, answer, err)
	}
}

func statusOf(t *testing.T, url string) (s status) {
	t.Helper()
	_ = json.Unmarshal([]byte(get(t, url+"/adapter")), &s) // the zero status is nobody's
	return s
}

// eventually waits until ok, within a bound that only a broken system reaches.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); !ok(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain until %s", what)
		}
	}
}

// freePorts finds n ports that are free now.
func freePorts(t *testing.T, n int) []int {
	t.Helper()
	ports := make([]int, n)
	for i := range ports {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		ports[i] = l.Addr().(*net.TCPAddr).Port
	}
	return ports
}

func local(port int) string { return fmt.Sprintf("http://127.0.0.1:%d", port) }
