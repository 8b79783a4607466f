// Package metrics is an observer that counts, and answers GET /metrics in
// Prometheus's text format.
package metrics

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/hotswap"
)

// Metrics counts what one instance does.
type Metrics struct {
	registry *prometheus.Registry
	calls    *prometheus.CounterVec
	switches *prometheus.CounterVec
	rescues  prometheus.Counter
	votes    prometheus.Counter
	void     prometheus.Counter
	losses   prometheus.Counter
	latency  *prometheus.HistogramVec
}

// New makes the metrics of an instance. The gauges ask status at each scrape.
func New(adapters []string, status func() hotswap.Status) *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		calls: counters("hotswap_calls_total", "Attempts on an adapter, by result: answered, timeout, another failure, stale.",
			"adapter", "result"),
		switches: counters("hotswap_switches_total", "Moves of this instance to an adapter, by cause.", "to", "cause"),
		rescues:  counter("hotswap_rescues_total", "Calls in flight that a switch moved to another adapter."),
		votes:    counter("hotswap_votes_total", "Votes that the log counted."),
		void:     counter("hotswap_void_decisions_total", "Own decisions that the log did not take."),
		losses:   counter("hotswap_bus_losses_total", "Times the log was lost."),
		latency: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "hotswap_switch_latency_seconds", Help: "From an instance's decision to this instance's move, by cause.",
			Buckets: prometheus.ExponentialBuckets(0.0005, 4, 10),
		}, []string{"cause"}),
	}
	m.registry.MustRegister(m.calls, m.switches, m.rescues, m.votes, m.void, m.losses, m.latency)
	m.gauges(adapters, status)
	return m
}

func counter(name, help string) prometheus.Counter {
	return prometheus.NewCounter(prometheus.CounterOpts{Name: name, Help: help})
}

func counters(name, help string, labels ...string) *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
}

// Handler answers a scrape.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}
