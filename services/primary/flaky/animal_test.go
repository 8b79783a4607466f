package flaky

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"
)

// inVirtualTime runs test with a service whose schedule has begun, as under
// Serve. The network is absent.
func inVirtualTime(t *testing.T, environ map[string]string, test func(*testing.T, *Service, http.Handler)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		_, log := newDiary()
		s := New(settings(t, environ), log)
		s.schedule.resume()
		defer s.schedule.stop()
		test(t, s, s.routes())
	})
}

func TestAnAnimalInEachFault(t *testing.T) {
	for _, c := range []struct {
		body  string
		want  answer
		after time.Duration
	}{
		{`{"mode":"cycle"}`, answer{200, "Chien"}, 0},
		{`{"mode":"healthy"}`, answer{200, "Chien"}, 0},
		{`{"mode":"timeout","for":"20s"}`, answer{200, "Chien"}, 20 * time.Second},
		{`{"mode":"error"}`, answer{500, `{"type":"about:blank","title":"Internal Server Error","status":500,"detail":"the primary fails on purpose","instance":"/animal"}` + "\n"}, 0},
		{`{"mode":"error","status":503}`, answer{503, `{"type":"about:blank","title":"Service Unavailable","status":503,"detail":"the primary fails on purpose","instance":"/animal"}` + "\n"}, 0},
		{`{"mode":"slow"}`, answer{200, "Chien"}, 500 * time.Millisecond},
		{`{"mode":"slow","delay":"2s"}`, answer{200, "Chien"}, 2 * time.Second},
		{`{"mode":"garbage"}`, answer{200, "<html><body>It works!</body></html>\n"}, 0},
		{`{"mode":"reset"}`, answer{}, 0},
	} {
		inVirtualTime(t, nil, func(t *testing.T, _ *Service, routes http.Handler) {
			if got := put(routes, c.body); got.status != 200 {
				t.Fatalf("%s: %+v", c.body, got)
			}
			began := time.Now()
			if got := get(routes, "/animal"); got != c.want {
				t.Errorf("%s: got %+v, want %+v", c.body, got, c.want)
			}
			if took := time.Since(began); took != c.after {
				t.Errorf("%s: answered after %v, want %v", c.body, took, c.after)
			}
		})
	}
}

func TestTheCycleHangsByDefault(t *testing.T) {
	inVirtualTime(t, nil, func(t *testing.T, _ *Service, routes http.Handler) {
		time.Sleep(20 * time.Second)
		began := time.Now()
		if got := get(routes, "/animal"); got.body != "Chien" || time.Since(began) != 10*time.Second {
			t.Errorf("got %+v after %v", got, time.Since(began))
		}
	})
}

func TestAHangGoesOnWithWhatComesNext(t *testing.T) {
	for _, c := range []struct {
		next string
		want int
		took time.Duration
	}{
		{`{"mode":"healthy"}`, 200, time.Second},
		{`{"mode":"cycle"}`, 200, time.Second},
		{`{"mode":"error","status":502}`, 502, time.Second},
		{`{"mode":"timeout","for":"5s"}`, 200, 6 * time.Second},
	} {
		inVirtualTime(t, nil, func(t *testing.T, _ *Service, routes http.Handler) {
			put(routes, `{"mode":"timeout"}`)
			time.AfterFunc(time.Second, func() { put(routes, c.next) })
			began := time.Now()
			if got := get(routes, "/animal"); got.status != c.want || time.Since(began) != c.took {
				t.Errorf("%s: got %+v after %v", c.next, got, time.Since(began))
			}
		})
	}
}

func TestAHangAndADelayEndWithTheCallerAndWithTheService(t *testing.T) {
	for _, mode := range []string{`{"mode":"timeout"}`, `{"mode":"slow","delay":"1m"}`} {
		inVirtualTime(t, nil, func(t *testing.T, s *Service, routes http.Handler) {
			put(routes, mode)
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
			defer cancel()
			began := time.Now()
			r := httptest.NewRequest(http.MethodGet, "/animal", nil)
			if got := ask(routes, r.WithContext(ctx)); got.status != 0 || time.Since(began) != 3*time.Second {
				t.Errorf("%s: the caller left: got %+v after %v", mode, got, time.Since(began))
			}
			time.AfterFunc(time.Second, func() { close(s.stopping) })
			began = time.Now()
			if got := ask(routes, r); got.status != 0 || time.Since(began) != time.Second {
				t.Errorf("%s: the service stopped: got %+v after %v", mode, got, time.Since(began))
			}
		})
	}
}

func TestAFaultHitsTheAnimalAndTheHealthOnly(t *testing.T) {
	for _, mode := range modes {
		inVirtualTime(t, nil, func(t *testing.T, _ *Service, routes http.Handler) {
			began := time.Now()
			if got := put(routes, `{"mode":"`+mode+`"}`); got.status != 200 {
				t.Errorf("PUT /fault: %+v", got)
			}
			want := answer{503, "DOWN"}
			if mode == modeCycle || mode == modeHealthy {
				want = answer{200, "UP"}
			}
			if got := get(routes, "/health"); got != want {
				t.Errorf("%s: GET /health: got %+v, want %+v", mode, got, want)
			}
			for _, path := range []string{"/livez", "/fault"} {
				if got := get(routes, path); got.status != 200 {
					t.Errorf("%s: GET %s: %+v", mode, path, got)
				}
			}
			if took := time.Since(began); took != 0 {
				t.Errorf("%s: took %v", mode, took)
			}
		})
	}
}
