package web_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/hotswap"
	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/service/problem"
)

// Every bad request is answered with a problem document that says what was wrong.
func TestBadRequests(t *testing.T) {
	s := serve(t, true)
	instance := "/chaos/instances/one"
	for name, c := range map[string]struct {
		method, path, body string
		status             int
		detail             string
	}{
		"unknown path":        {"GET", "/nothing", "", 404, "nothing is served at /nothing"},
		"wrong method":        {"GET", "/chaos/reset", "", 405, "takes POST"},
		"no adapter":          {"PUT", "/adapter", `{}`, 422, `"target"`},
		"unknown adapter":     {"PUT", "/adapter", `{"target":"tertiary"}`, 422, "target"},
		"wrong type":          {"PUT", "/adapter", `{"target":7}`, 422, "must be a string"},
		"unknown field":       {"PUT", "/adapter", `{"tarjet":"primary"}`, 422, "tarjet"},
		"no JSON":             {"PUT", "/adapter", `target`, 400, "no JSON"},
		"no bus":              {"PUT", instance, `{}`, 422, `"cut" or "connected"`},
		"unknown bus":         {"PUT", instance, `{"bus":"on fire"}`, 422, `not "on fire"`},
		"for without cut":     {"PUT", instance, `{"bus":"connected","for":"1s"}`, 422, `goes with "cut" only`},
		"no duration":         {"PUT", instance, `{"bus":"cut","for":"long"}`, 422, `not "long"`},
		"negative duration":   {"PUT", instance, `{"bus":"cut","for":"-1s"}`, 422, "from 1ms"},
		"too long":            {"PUT", instance, `{"bus":"cut","for":"11m"}`, 422, "to 10m0s"},
		"an empty body":       {"PUT", instance, ``, 415, "Content-Type"},
		"an unknown instance": {"PUT", "/chaos/instances/nobody", `{"bus":"cut"}`, 404, `no such instance: "nobody"; there are ["one"]`},
		"an encoded name":     {"PUT", "/chaos/instances/eu%2F1%2B%25%20a", `{"bus":"cut"}`, 404, `no such instance: "eu/1+% a"`},
		"a name with a space": {"PUT", "/chaos/instances/50%25%20a", `{"bus":"cut"}`, 404, `no such instance: "50% a"`},
		"an oversized order":  {"PUT", "/chaos/primary", `{"mode":"` + strings.Repeat("x", problem.MaxBody) + `"}`, 413, "too large"},
	} {
		t.Run(name, func(t *testing.T) {
			response, body := s.do(t, c.method, c.path, c.body)
			expectProblem(t, response, body, c.status, c.detail)
		})
	}
}

func expectProblem(t *testing.T, response *http.Response, body string, status int, detail string) {
	t.Helper()
	var p problem.Document
	if err := json.Unmarshal([]byte(body), &p); err != nil || response.Header.Get("Content-Type") != problem.ContentType {
		t.Fatalf("no problem document: %s %q", response.Header.Get("Content-Type"), body)
	}
	if response.StatusCode != status || p.Status != status || !strings.Contains(p.Detail, detail) {
		t.Errorf("got %d %q, want %d with %q", response.StatusCode, p.Detail, status, detail)
	}
}

// The rules of a fault are the primary's: the order goes there as it is, and its
// answer comes back, refusals included.
func TestFaultIsRelayed(t *testing.T) {
	s := serve(t, true)
	order := `{"mode":"timeout","for":"20s"}`
	if response, body := s.do(t, "PUT", "/chaos/primary", order); response.StatusCode != 200 || body != `{"mode":"cycle"}` || s.faults.told()[0] != order {
		t.Errorf("%d %q, primary told %q", response.StatusCode, body, s.faults.told())
	}
	if response, body := s.do(t, "GET", "/chaos/primary", ""); response.StatusCode != 200 || !strings.Contains(body, `"fault":"none"`) {
		t.Errorf("%d %q", response.StatusCode, body)
	}
	s.faults.set(422, `{"detail":"field \"mode\" must be one of …"}`, nil)
	response, body := s.do(t, "PUT", "/chaos/primary", `{"mode":"x"}`)
	expectProblem(t, response, body, 422, `field "mode"`)
	s.faults.set(0, "", errAway)
	for _, method := range []string{"GET", "PUT"} {
		response, body := s.do(t, method, "/chaos/primary", `{}`)
		expectProblem(t, response, body, 502, "connection refused")
	}
}

func TestSwitchPinRelease(t *testing.T) {
	s := serve(t, true)
	for _, c := range []struct{ body, active, pinned string }{
		{`{"target":"fallback"}`, `"active":"fallback"`, `"pinned":false`},
		{`{"pinned":true}`, `"active":"fallback"`, `"pinned":true`},
		{`{"pinned":false}`, `"active":"fallback"`, `"pinned":false`},
		{`{"target":"primary","pinned":true}`, `"active":"primary"`, `"pinned":true`},
	} {
		_, put := s.do(t, "PUT", "/adapter", c.body)
		if _, get := s.do(t, "GET", "/adapter", ""); put != get || !strings.Contains(get, c.active) || !strings.Contains(get, c.pinned) {
			t.Errorf("%s: PUT %s GET %s", c.body, put, get)
		}
	}
}

func TestReset(t *testing.T) {
	s := serve(t, true)
	response, body := s.do(t, "POST", "/chaos/reset", "")
	if response.StatusCode != 200 || len(s.faults.told()) != 1 || s.faults.told()[0] != `{"mode":"cycle"}` || s.control.releases() != 1 {
		t.Errorf("%d %q; primary told %q, released %d times", response.StatusCode, body, s.faults.told(), s.control.releases())
	}
	s.faults.set(0, "", errAway)
	response, body = s.do(t, "POST", "/chaos/reset", "")
	expectProblem(t, response, body, 502, "the primary was not reset")
	if s.control.releases() != 2 {
		t.Error("a primary that is away keeps the pin from being released")
	}
	s.faults.set(200, `{}`, nil)
	s.control.fail(hotswap.ErrClosed)
	response, body = s.do(t, "POST", "/chaos/reset", "")
	expectProblem(t, response, body, 502, "closed")
}

// Without CHAOS nothing can be broken; the operator's switch stays.
func TestChaosIsOff(t *testing.T) {
	s := serve(t, false)
	for _, c := range [][2]string{{"GET", "/chaos/primary"}, {"PUT", "/chaos/primary"}, {"PUT", "/chaos/instances/one"}, {"POST", "/chaos/reset"}} {
		response, body := s.do(t, c[0], c[1], `{"mode":"timeout"}`)
		expectProblem(t, response, body, 404, "nothing is served")
	}
	if len(s.faults.told()) != 0 {
		t.Errorf("the primary was told %q", s.faults.told())
	}
	if response, _ := s.do(t, "PUT", "/adapter", `{"target":"fallback"}`); response.StatusCode != 200 {
		t.Errorf("PUT /adapter: %d", response.StatusCode)
	}
}

// A page of another site can't make the visitor's browser break things.
func TestOtherOriginsAreRefused(t *testing.T) {
	s := serve(t, true)
	for _, c := range [][3]string{
		{"PUT", "/adapter", `{"target":"fallback"}`}, {"PUT", "/chaos/primary", `{"mode":"timeout"}`},
		{"PUT", "/chaos/instances/one", `{"bus":"cut"}`}, {"POST", "/chaos/reset", ``},
	} {
		for name, header := range map[string]string{
			"another site": "Sec-Fetch-Site: cross-site", "another port": "Sec-Fetch-Site: same-site",
			"an old browser": "Origin: http://elsewhere.example", "an opaque origin": "Origin: null",
		} {
			response, body := s.do(t, c[0], c[1], c[2], header)
			if response.StatusCode != 403 {
				t.Errorf("%s %s from %s: %d", c[0], c[1], name, response.StatusCode)
				continue
			}
			expectProblem(t, response, body, 403, "another origin")
		}
	}
	if s.control.Status().Active != "primary" || len(s.faults.told()) != 0 {
		t.Error("something was done all the same")
	}
	for _, header := range []string{"Sec-Fetch-Site: same-origin", "Origin: " + s.url, "Sec-Fetch-Site: none", "X-From: curl"} {
		if response, _ := s.do(t, "PUT", "/adapter", `{"target":"primary"}`, header); response.StatusCode != 200 {
			t.Errorf("%s: %d", header, response.StatusCode)
		}
	}
}
