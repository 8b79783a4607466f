package hotswap_test

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/hotswap"
	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/membus"
)

func TestNewRegistry_Invalid(t *testing.T) {
	many := make([]hotswap.Adapter[animal], 65)
	for i := range many {
		many[i] = hotswap.Adapter[animal]{Name: fmt.Sprint(i), Port: newUpstream(answers(""))}
	}
	one, two := many[0], many[1]
	for name, test := range map[string]struct {
		adapters []hotswap.Adapter[animal]
		says     string
	}{
		"none":                 {nil, "0 given, want 2 to 64"},
		"one":                  {many[:1], "1 given, want 2 to 64"},
		"too many":             {many, "65 given, want 2 to 64"},
		"a name twice":         {[]hotswap.Adapter[animal]{one, two, one}, `two are named "0"`},
		"no name":              {[]hotswap.Adapter[animal]{one, {Port: two.Port}}, "number 2 has no name"},
		"no port":              {[]hotswap.Adapter[animal]{one, {Name: "b"}}, `"b" has no port`},
		"no name and no port ": {[]hotswap.Adapter[animal]{{}, one}, "number 1 has no name"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := hotswap.NewRegistry(test.adapters...)
			wantError(t, err, hotswap.ErrAdapters, test.says)
			_, err = hotswap.New(membus.New().Connect(), hotswap.Settings{}, test.adapters...)
			wantError(t, err, hotswap.ErrAdapters, test.says)
		})
	}
	if _, err := hotswap.NewRegistry(many[:64]...); err != nil {
		t.Errorf("64 adapters: %v", err)
	}
}

func TestRegistry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		primary, fallback := newUpstream(answers("Chien")), newUpstream(answers("Chat"))
		m := join(t, membus.New(), hotswap.Settings{}, primary, fallback)
		r := m.Registry()
		if got := r.Names(); !slices.Equal(got, []string{"primary", "fallback"}) {
			t.Errorf("names are %q", got)
		}
		want := func(name string, port animal, epoch uint64) {
			t.Helper()
			if r.ActiveName() != name || r.Active() != port || r.Epoch() != epoch {
				t.Errorf("on %q in epoch %d, want %q in %d", r.ActiveName(), r.Epoch(), name, epoch)
			}
		}
		want("primary", primary, 1)
		for i, step := range []struct {
			target string
			port   animal
			epoch  uint64
		}{{"fallback", fallback, 2}, {"fallback", fallback, 2}, {"primary", primary, 3}} {
			if err := m.Switch(step.target, false); err != nil {
				t.Fatalf("step %d: %v", i, err)
			}
			want(step.target, step.port, step.epoch)
		}
	})
}

// The last of 64 adapters is reached, each by one step.
func TestRegistry_SixtyFourAdapters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var adapters []hotswap.Adapter[animal]
		for i := range 64 {
			b := fails(err500)
			if i == 63 {
				b = answers("last")
			}
			adapters = append(adapters, hotswap.Adapter[animal]{Name: fmt.Sprint(i), Port: newUpstream(b)})
		}
		m := joinWith(t, membus.New(), hotswap.Settings{}, adapters...)
		m.must(t, "last")
		m.isOn(t, "63")
	})
}

// The caller's slice is not the registry's.
func TestRegistry_KeepsItsOwnList(t *testing.T) {
	adapters := []hotswap.Adapter[string]{{Name: "a", Port: "a"}, {Name: "b", Port: "b"}}
	r, err := hotswap.NewRegistry(adapters...)
	if err != nil {
		t.Fatal(err)
	}
	adapters[0].Name, adapters[0].Port = "x", "x"
	if r.ActiveName() != "a" || r.Active() != "a" {
		t.Errorf("active is %q", r.ActiveName())
	}
}
