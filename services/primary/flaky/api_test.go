package flaky

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/service/problem"
)

func TestFaultReportsWhatIsInForce(t *testing.T) {
	for _, c := range []struct {
		body  string
		after time.Duration
		want  string
	}{
		{`{"mode":"cycle"}`, 0, `{"mode":"cycle","phase":"healthy","fault":"none","remaining":"15s"}`},
		{`{"mode":"cycle"}`, 17720 * time.Millisecond, `{"mode":"cycle","phase":"failing","fault":"timeout","remaining":"12.3s"}`},
		{`{"mode":"healthy"}`, time.Hour, `{"mode":"healthy","fault":"none"}`},
		{`{"mode":"healthy","for":"1m"}`, time.Second, `{"mode":"healthy","fault":"none","remaining":"59s"}`},
		{`{"mode":"timeout"}`, time.Hour, `{"mode":"timeout","fault":"timeout"}`},
		{`{"mode":"timeout","for":"20s"}`, time.Second, `{"mode":"timeout","fault":"timeout","remaining":"19s"}`},
		{`{"mode":"timeout","for":"20s"}`, 21 * time.Second, `{"mode":"cycle","phase":"healthy","fault":"none","remaining":"14s"}`},
		{`{"mode":"error"}`, 0, `{"mode":"error","fault":"error","status":500}`},
		{`{"mode":"error","status":599,"for":"1h"}`, 0, `{"mode":"error","fault":"error","status":599,"remaining":"1h0m0s"}`},
		{`{"mode":"slow","delay":"250ms"}`, 0, `{"mode":"slow","fault":"slow","delay":"250ms"}`},
		{`{"mode":"reset","for":null}`, 0, `{"mode":"reset","fault":"reset"}`},
		{`{"mode":"garbage"}`, 0, `{"mode":"garbage","fault":"garbage"}`},
	} {
		inVirtualTime(t, nil, func(t *testing.T, _ *Service, routes http.Handler) {
			answered := put(routes, c.body)
			if reported := get(routes, "/fault"); answered != reported {
				t.Errorf("%s: PUT says %+v, GET says %+v", c.body, answered, reported)
			}
			time.Sleep(c.after)
			if got := get(routes, "/fault"); got != (answer{200, c.want + "\n"}) {
				t.Errorf("%s: got %+v, want %s", c.body, got, c.want)
			}
		})
	}
}

func TestABadOrderChangesNothingAndSaysWhy(t *testing.T) {
	for _, c := range []struct {
		body   string
		status int
		detail string
	}{
		{``, 400, "the body is empty: must be a JSON object"},
		{`mode=error`, 400, "the body is no JSON: "},
		{`{}`, 422, `field "mode" must be one of cycle, healthy, timeout, error, reset, slow, garbage, not ""`},
		{`{"mode":"none"}`, 422, `field "mode" must be one of `},
		{`{"mode":"Timeout"}`, 422, `field "mode" must be one of `},
		{`{"mode":7}`, 422, `field "mode" must be a string, not a number`},
		{`{"mode":"timeout","duration":"20s"}`, 422, `unknown field "duration"`},
		{`{"mode":"timeout","for":20}`, 422, `field "for" must be a string, not a number`},
		{`{"mode":"timeout","for":""}`, 422, `field "for" must be a duration above 0 and up to 24h0m0s, such as "20s", not ""`},
		{`{"mode":"timeout","for":"20"}`, 422, `field "for" must be a duration `},
		{`{"mode":"timeout","for":"0s"}`, 422, `field "for" must be a duration `},
		{`{"mode":"timeout","for":"-1s"}`, 422, `field "for" must be a duration `},
		{`{"mode":"timeout","for":"25h"}`, 422, `field "for" must be a duration `},
		{`{"mode":"cycle","for":"20s"}`, 422, `field "for" does not go with mode "cycle"`},
		{`{"mode":"error","status":200}`, 422, `field "status" must be from 500 to 599, not 200`},
		{`{"mode":"error","status":0}`, 422, `field "status" must be from 500 to 599, not 0`},
		{`{"mode":"error","status":"503"}`, 422, `field "status" must be a whole number, not a string`},
		{`{"mode":"slow","status":503}`, 422, `field "status" goes with mode "error" only`},
		{`{"mode":"slow","delay":"2m"}`, 422, `field "delay" must be a duration above 0 and up to 1m0s, such as "20s", not "2m"`},
		{`{"mode":"timeout","delay":"1s"}`, 422, `field "delay" goes with mode "slow" only`},
	} {
		inVirtualTime(t, nil, func(t *testing.T, s *Service, routes http.Handler) {
			before := s.schedule.now()
			got := put(routes, c.body)
			var document problem.Document
			if err := json.Unmarshal([]byte(got.body), &document); err != nil {
				t.Fatalf("%s: %q: %v", c.body, got.body, err)
			}
			if got.status != c.status || !strings.HasPrefix(document.Detail, c.detail) {
				t.Errorf("%s: got %d %q, want %d %q", c.body, got.status, document.Detail, c.status, c.detail)
			}
			if s.schedule.now() != before {
				t.Errorf("%s: the fault changed", c.body)
			}
		})
	}
}

func FuzzOrder(f *testing.F) {
	f.Add(`{"mode":"error","for":"20s","status":503}`)
	f.Add(`{"mode":"slow","delay":"500ms"}`)
	f.Add(`{"mode":"cycle"}`)
	f.Fuzz(func(t *testing.T, body string) {
		_, log := newDiary()
		s := New(settings(t, nil), log)
		defer s.schedule.stop()
		got := put(s.routes(), body)
		fault := s.schedule.now().fault
		switch {
		case got.status != 200 && (got.status < 400 || got.status > 499):
			t.Errorf("%q: %+v", body, got)
		case fault.Kind == Error && (fault.Status < 500 || fault.Status > 599):
			t.Errorf("%q: status %d", body, fault.Status)
		case fault.Kind == Slow && (fault.Delay <= 0 || fault.Delay > maxDelay):
			t.Errorf("%q: delay %v", body, fault.Delay)
		}
	})
}
