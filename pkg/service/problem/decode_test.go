package problem

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

type order struct {
	Target string  `json:"target"`
	Count  int     `json:"count"`
	Share  float64 `json:"share"`
	Pin    struct {
		On bool `json:"on"`
	} `json:"pin"`
}

const asJSON = "application/json"

func decode(contentType, body string) (order, error) {
	r := httptest.NewRequest(http.MethodPut, "/adapter", strings.NewReader(body))
	r.Header.Set("Content-Type", contentType)
	return Decode[order](httptest.NewRecorder(), r)
}

func TestDecodeTakesAnObject(t *testing.T) {
	for _, contentType := range []string{asJSON, "application/json; charset=utf-8", "Application/JSON;charset=UTF-8"} {
		got, err := decode(contentType, ` {"target":"fallback","count":2,"share":0.5,"pin":{"on":true}}`+"\n")
		want := order{Target: "fallback", Count: 2, Share: 0.5}
		want.Pin.On = true
		if err != nil || got != want {
			t.Errorf("%s: got %+v, %v", contentType, got, err)
		}
	}
}

func TestDecodeSaysWhatIsWrong(t *testing.T) {
	for _, c := range []struct {
		contentType, body string
		status            int
		detail            string
	}{
		{"", `{}`, 415, `Content-Type must be application/json, not ""`},
		{"application/x-www-form-urlencoded", `{}`, 415, `Content-Type must be application/json, not "application/x-www-form-urlencoded"`},
		{"application/json; charset=latin1", `{}`, 415, `Content-Type must be application/json, not "application/json; charset=latin1"`},
		{"/", `{}`, 415, `Content-Type must be application/json, not "/"`},
		{asJSON, `{"target":"` + strings.Repeat("x", MaxBody) + `"}`, 413, "the body is larger than 16384 bytes"},
		{asJSON, "", 400, "the body is empty: must be a JSON object"},
		{asJSON, " \n", 400, "the body is empty: must be a JSON object"},
		{asJSON, "target=fallback", 400, "the body is no JSON: invalid character 'a' in literal true (expecting 'r') at byte 2"},
		{asJSON, `{"target":"fall`, 400, "the body is no JSON: it ends too early"},
		{asJSON, `{"target":"fallback"} {}`, 400, "the body goes on after its JSON object"},
		{asJSON, `{"target":"fallback"}}`, 400, "the body goes on after its JSON object"},
		{asJSON, `null`, 422, "the body must be a JSON object"},
		{asJSON, `[]`, 422, "the body must be a JSON object"},
		{asJSON, `"fallback"`, 422, "the body must be a JSON object"},
		{asJSON, `{"targte":"fallback"}`, 422, `unknown field "targte"`},
		{asJSON, `{"target":1}`, 422, `field "target" must be a string, not a number`},
		{asJSON, `{"count":"1"}`, 422, `field "count" must be a whole number, not a string`},
		{asJSON, `{"count":1.5}`, 422, `field "count" must be a whole number, not a number 1.5`},
		{asJSON, `{"share":true}`, 422, `field "share" must be a number, not a bool`},
		{asJSON, `{"pin":true}`, 422, `field "pin" must be an object, not a bool`},
		{asJSON, `{"pin":{"on":"yes"}}`, 422, `field "pin.on" must be a bool, not a string`},
	} {
		got, err := decode(c.contentType, c.body)
		e, typed := errors.AsType[*Error](err)
		if !typed {
			t.Errorf("%.30q: got %+v, %v", c.body, got, err)
			continue
		}
		if e.Status != c.status || e.Detail != c.detail {
			t.Errorf("%.30q: got %d %q, want %d %q", c.body, e.Status, e.Detail, c.status, c.detail)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(asJSON, `{"target":"fallback"}`)
	f.Add(asJSON, `{"count":1e9999}`)
	f.Add("application/json; charset", `{"pin":[]}`)
	f.Fuzz(func(t *testing.T, contentType, body string) {
		_, err := decode(contentType, body)
		if err == nil {
			return
		}
		e, typed := errors.AsType[*Error](err)
		if !typed || e.Status < 400 || e.Status > 499 || e.Detail == "" {
			t.Errorf("%q: %#v", body, err)
		}
	})
}
