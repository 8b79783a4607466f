package metrics

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/hotswap"
)

// gauges registers what is true at the moment of a scrape.
func (m *Metrics) gauges(adapters []string, status func() hotswap.Status) {
	for _, name := range adapters {
		m.gauge("hotswap_active", "1 for the active adapter, 0 for the others.", prometheus.Labels{"adapter": name},
			func() float64 { return one(status().Active == name) })
	}
	m.gauge("hotswap_log_position", "Position of the switch in force in the log.", nil,
		func() float64 { return float64(status().Log.Position) })
	m.gauge("hotswap_bus_connected", "1 while the log is read, 0 while this instance decides alone.", nil,
		func() float64 { return one(status().Connected) })
	m.gauge("hotswap_pinned", "1 while an operator keeps automatic decisions out.", nil,
		func() float64 { return one(status().Pinned) })
	m.gauge("hotswap_alone", "1 while this instance is on another adapter than the cluster, until a quorum agrees.", nil,
		func() float64 { return one(status().Alone) })
	m.gauge("hotswap_hold_down_seconds", "How long the cluster stays away from the preferred adapter at least.", nil,
		func() float64 { return status().HoldDown.Seconds() })
	m.gauge("hotswap_abandoned_calls", "Calls that ignore their context and still run.", nil,
		func() float64 { return float64(status().AbandonedCalls) })
	m.gauge("hotswap_observations_dropped", "Observations that an observer was too slow for.", nil,
		func() float64 { return float64(status().Dropped) })
}

func (m *Metrics) gauge(name, help string, labels prometheus.Labels, value func() float64) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(
		prometheus.GaugeOpts{Name: name, Help: help, ConstLabels: labels}, value))
}

func one(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}
