package rabbitmq

import (
	"strings"
	"testing"
	"time"
)

// How Spring Cloud Bus matches a destination with a bus id.
var destinations = []struct {
	destination, id string
	want            bool
}{
	{"**", "app:8081:abc", true},
	{"*:**", "app:8081:abc", true},
	{"app:**", "app:8081:abc", true},
	{"app:8081:**", "app:8081:abc", true},
	{"app:*:*", "app:8081:abc", true},
	{"a*:**", "app:8081:abc", true},
	{"ap?:**", "app:8081:abc", true},
	{"app:8081:abc", "app:8081:abc", true},

	{"*", "app:8081:abc", false},
	{"app", "app:8081:abc", false},
	{"app:8081", "app:8081:abc", false},
	{"app:*", "app:8081:abc", false},
	{"APP:**", "app:8081:abc", false},
	{"other:**", "app:8081:abc", false},

	// Several profiles in one id: any of them will do.
	{"app:dev:**", "app:dev,cloud:8081:abc", true},
	{"app:cloud:**", "app:dev,cloud:8081:abc", true},
	{"app:dev,cloud:**", "app:dev,cloud:8081:abc", true},
	{"app:prod:**", "app:dev,cloud:8081:abc", false},
	{"app:de:**", "app:dev,cloud:8081:abc", false},
	{"app:dev:**", "app:dev:8081:abc", true},

	// What Ant patterns can say besides.
	{"**:abc", "app:8081:abc", true},
	{"**:8081:**", "app:8081:abc", true},
	{"app:**:abc", "app:8081:abc", true},
	{"**:**", "app:8081:abc", true},
	{"app:8081:abc:**", "app:8081:abc", true},
	{"a*p:*1:a?c", "app:8081:abc", true},
	{"a*c", "app:8081:abc", false},
	{"app:8081:abc:*", "app:8081:abc", false},
	{":app:**", "app:8081:abc", false},
	{"app:8081:abc:", "app:8081:abc", false},
	{"app::8081:abc", "app:8081:abc", true},
	{"é?:**", "éà:8081:abc", true},

	// Nothing said is everybody.
	{"", "app:8081:abc", true},
	{" ", "app:8081:abc", true},
}

func TestAddressed(t *testing.T) {
	for _, test := range destinations {
		if got := addressed(test.destination, test.id); got != test.want {
			t.Errorf("destination %q, id %q: %t, want %t", test.destination, test.id, got, test.want)
		}
	}
}

// FuzzAddressed looks for patterns that panic or take long, and for breaches of
// what holds whatever the pattern: an id without wildcards is a pattern that
// matches itself, and no pattern loses a match by a wider one.
func FuzzAddressed(f *testing.F) {
	for _, test := range destinations {
		f.Add(test.destination, test.id)
	}
	f.Add(strings.Repeat("*a", 100), strings.Repeat("a", 200)+"b")
	f.Add(strings.Repeat("**:a:", 50), strings.Repeat("a:", 100)+"b")
	f.Fuzz(func(t *testing.T, destination, id string) {
		if len(destination) > maxText || len(id) > maxText {
			t.Skip("decode lets no such text through")
		}
		if strings.HasPrefix(id, ":") || strings.HasSuffix(id, ":") {
			t.Skip("no instance has such an id")
		}
		began := time.Now()
		matched := addressed(destination, id)
		if took := time.Since(began); took > time.Second {
			t.Errorf("took %s", took)
		}
		if !addressed(everybody, id) {
			t.Error("not everybody is everybody")
		}
		if !strings.ContainsAny(id, reserved) && !addressed(id, id) {
			t.Error("an id does not match itself")
		}
		if matched && strings.TrimSpace(destination) != "" && !strings.HasSuffix(destination, ":") &&
			!addressed(destination+":**", id) {
			t.Errorf("the wider pattern %q does not match", destination+":**")
		}
	})
}
