package live

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

func TestReportsOfOthers(t *testing.T) {
	long := strings.Repeat("x", maxText+1)
	for name, c := range map[string]struct {
		message string
		ok      bool
	}{
		"plain":                        {`{"id":"a:b:c","name":"b","active":"primary","marks":"pft","marked":3}`, true},
		"from the future":              {`{"id":"a","name":"b","more":{"x":1}}`, true},
		"no JSON":                      {`hello`, false},
		"empty":                        {``, false},
		"no id":                        {`{"name":"b"}`, false},
		"no name":                      {`{"id":"a"}`, false},
		"a long name":                  {`{"id":"a","name":"` + long + `"}`, false},
		"unknown marks":                {`{"id":"a","name":"b","marks":"<b>","marked":3}`, false},
		"more marks than were counted": {`{"id":"a","name":"b","marks":"ppp","marked":2}`, false},
		"too many marks":               {`{"id":"a","name":"b","marks":"` + strings.Repeat("p", maxMarks+1) + `","marked":99}`, false},
		"too many switches":            {`{"id":"a","name":"b","applied":[` + strings.Repeat(`{"switch":"s"},`, maxApplied) + `{"switch":"s"}]}`, false},
		"a switch without id":          {`{"id":"a","name":"b","applied":[{}]}`, false},
		"too large":                    {`{"id":"a","name":"b"}` + strings.Repeat(" ", maxReport), false},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := parseReport([]byte(c.message)); (err == nil) != c.ok {
				t.Errorf("err = %v, want ok = %v", err, c.ok)
			}
		})
	}
}

// Nothing that arrives over the bus can stop the board or grow it without bound.
func FuzzReport(f *testing.F) {
	f.Add([]byte(`{"id":"a:b:c","name":"b","active":"primary","marks":"pft","marked":3,"applied":[{"switch":"s","how":"moved","took":1}]}`))
	f.Add([]byte(`{"id":"a","name":"b","applied":[{"switch":"s","how":"void"}]}`))
	f.Add([]byte(`{"from":"x","order":{"cut":true,"for":-1}}`))
	f.Fuzz(func(t *testing.T, message []byte) {
		parseCall(message)
		r, err := parseReport(message)
		if err != nil {
			return
		}
		b := newBoard("self")
		b.hear(r)
		u, _ := b.take()
		data, err := json.Marshal(u)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.ContainsAny(data, "\n\r") || len(u.Lanes) != 1 || len(u.Switches) > maxApplied {
			t.Errorf("update %s", data)
		}
	})
}
