package hotswap_test

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/hotswap"
	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/membus"
)

func TestSettings_Invalid(t *testing.T) {
	nan := math.NaN()
	probe := func(context.Context, any) error { return nil }
	for says, s := range map[string]hotswap.Settings{
		"Timeout must not be negative":                 {Timeout: -1},
		"TimeoutJitter must not be negative":           {TimeoutJitter: -1},
		"MaxAbandoned must not be negative":            {MaxAbandoned: -1},
		"Trip.Failures must not be negative":           {Trip: hotswap.Trip{Failures: -1}},
		"Trip.Rate must be between 0 and 1":            {Trip: hotswap.Trip{Rate: 1.1}},
		"Trip.Rate must be between 0 and 1 ":           {Trip: hotswap.Trip{Rate: -0.1}},
		"Trip.Rate must be between 0 and 1  ":          {Trip: hotswap.Trip{Rate: nan}},
		"Trip.Window must be 1ms or more":              {Trip: hotswap.Trip{Window: time.Microsecond}},
		"Trip.MinCalls must not be negative":           {Trip: hotswap.Trip{MinCalls: -1}},
		"Quorum must not be negative":                  {Quorum: -1},
		"QuorumWindow must not be negative":            {QuorumWindow: -1},
		"QuorumWindow must not be below ProbeInterval": {Quorum: 2, QuorumWindow: time.Second},
		"ProbeInterval must not be negative":           {ProbeInterval: -1},
		"ProbeJitter must be between 0 and 1":          {ProbeJitter: 2},
		"ProbeJitter must be between 0 and 1 ":         {ProbeJitter: -1},
		"ProbeJitter must be between 0 and 1  ":        {ProbeJitter: nan},
		"ProbeTimeout must not be negative":            {ProbeTimeout: -1},
		"Canary must not be negative":                  {Canary: -1, CanaryCall: probe},
		"Canary needs a CanaryCall":                    {Canary: 1},
		"Ramp must not be negative":                    {Ramp: -1},
		"HoldDown must not be negative":                {HoldDown: -1},
		"HoldDownMax must not be below HoldDown":       {HoldDown: time.Hour},
		"QuietPeriod must not be negative":             {QuietPeriod: -1},
		"ReplayWait must not be negative":              {ReplayWait: -1},
		"CloseWait must not be negative":               {CloseWait: -1},
	} {
		_, err := newPlain(membus.New().Connect(), s)
		wantError(t, err, hotswap.ErrSettings, "invalid settings: "+trimmed(says))
	}
	_, err := newPlain(nil, hotswap.Settings{})
	wantError(t, err, hotswap.ErrSettings, "no bus")
}

// trimmed lets a map say the same thing twice.
func trimmed(s string) string {
	for s[len(s)-1] == ' ' {
		s = s[:len(s)-1]
	}
	return s
}

func newPlain(bus hotswap.Bus, s hotswap.Settings) (*hotswap.Instance[string], error) {
	return hotswap.New(bus, s, hotswap.Adapter[string]{Name: "a", Port: "a"}, hotswap.Adapter[string]{Name: "b", Port: "b"})
}

// What is at the edge of what is allowed works.
func TestSettings_Valid(t *testing.T) {
	for name, s := range map[string]hotswap.Settings{
		"zero":          {},
		"shortest":      {Timeout: 1, Trip: hotswap.Trip{Window: time.Millisecond}, ProbeInterval: 1, ProbeTimeout: 1},
		"largest rates": {Trip: hotswap.Trip{Rate: 1}, ProbeJitter: 1},
		"hold-down":     {HoldDown: time.Hour, HoldDownMax: time.Hour},
		"quorum":        {Quorum: 2, QuorumWindow: 5 * time.Second},
		"no quorum":     {Quorum: 1, QuorumWindow: time.Second},
		"canary":        {Canary: 1, CanaryCall: func(context.Context, any) error { return nil }},
	} {
		in, err := newPlain(membus.New().Connect(), s)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if err := in.Close(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestSettings_ID(t *testing.T) {
	seen := make(map[string]bool)
	for _, id := range []string{"", "", "mine"} {
		in, err := newPlain(membus.New().Connect(), hotswap.Settings{ID: id})
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		if got := in.ID(); got == "" || seen[got] || id != "" && got != id {
			t.Errorf("the id of %q is %q", id, got)
		}
		seen[in.ID()] = true
	}
}
