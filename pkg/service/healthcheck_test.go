package service

import (
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestHealthcheckAsksTheServiceOnItsPort(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/livez", "/readyz":
		case "/moved":
			http.Redirect(w, r, "/livez", http.StatusFound)
		default:
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	defer server.Close()
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		path []string
		want bool
	}{
		{nil, true},
		{[]string{"/readyz"}, true},
		{[]string{"/health"}, false},
		{[]string{"/moved"}, false},
		{[]string{"no path"}, false},
	} {
		err := healthcheck[processSettings](t.Context(), map[string]string{"PORT": port}, c.path)
		if (err == nil) != c.want {
			t.Errorf("%v: %v", c.path, err)
		}
	}
}

func TestHealthcheckNeedsAPortSetting(t *testing.T) {
	if err := healthcheck[struct{}](t.Context(), nil, nil); err == nil {
		t.Error("no error")
	}
}
