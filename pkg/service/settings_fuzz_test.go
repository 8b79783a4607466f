package service

import (
	"strings"
	"testing"
	"unicode"
)

// FuzzLoad gives every variable the same value, whatever it is: Load never
// panics, takes only what is allowed, and complains in one line.
func FuzzLoad(f *testing.F) {
	for _, value := range []string{"15s", "-1", "0x10", "1e3", "on", "amqp://u:p@h:1/,amqps://h", "http://[::1]:8080", "\xff\n", "::@@//:"} {
		f.Add(value)
	}
	f.Fuzz(func(t *testing.T, value string) {
		for _, s := range Settings[everyRule]() {
			got, err := Load[everyRule](map[string]string{s.Name: value})
			if err != nil {
				if strings.ContainsFunc(err.Error(), unicode.IsControl) {
					t.Errorf("more than one line: %q", err)
				}
				continue
			}
			if got.Above <= 0 || got.Wait < 0 || got.Count <= 0 || got.Spare < 0 || got.Port < 0 ||
				got.Port > 65535 || !(got.Share >= 0 && got.Share <= 1) || len(got.Brokers) == 0 || got.Format == "" {
				t.Errorf("%s=%q is taken: %+v", s.Name, value, got)
			}
		}
	})
}

// FuzzRedaction looks for a password that an error shows.
func FuzzRedaction(f *testing.F) {
	const password = "s3cret"
	f.Add("amqp://", "", "@rabbitmq:5672/")
	f.Add("", "/", "@[::1")
	f.Add("amqp:/", "%", "@a,amqp://b")
	f.Fuzz(func(t *testing.T, scheme, noise, host string) {
		if !strings.Contains(host, "@") {
			t.Skip("without an at sign there are no credentials")
		}
		value := scheme + "user:" + noise + password + noise + host
		_, err := Load[everyRule](map[string]string{"BROKERS": value})
		if err != nil && strings.Contains(err.Error(), password) {
			t.Errorf("%q: %v", value, err)
		}
	})
}
