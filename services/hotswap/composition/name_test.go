package composition

import "testing"

func TestShortName(t *testing.T) {
	for _, c := range []struct{ name, want string }{
		{"demo_hotswap-1_1.demo_default.", "hotswap-1"},
		{"demo-hotswap-2-1.demo_default.", "hotswap-2"},
		{"adapter-hotswap-go-hotswap-1-1.adapter-hotswap-go_default.", "hotswap-1"},
		{"demo_hotswap-more_3.demo_default.", "hotswap-more-3"},
		{"demo-hotswap-more-12.demo_default.", "hotswap-more-12"},
		{"demo_hotswap_4.demo_default.", "hotswap-4"},
		{"demo-hotswap-1-2.demo_default.", "hotswap-1-2"},
		{"186a69f03e67.", ""},
		{"demo_rabbitmq_1.demo_default.", ""},
		{"", ""},
	} {
		if got, ok := shortName(c.name); got != c.want || ok != (c.want != "") {
			t.Errorf("%q: got %q, %v, want %q", c.name, got, ok, c.want)
		}
	}
}
