package metrics

import "github.com/adapter-hotswap/adapter-hotswap-go/pkg/hotswap"

// Observe implements hotswap.Observer.
func (m *Metrics) Observe(o hotswap.Observation) {
	switch o := o.(type) {
	case hotswap.Answered:
		m.calls.WithLabelValues(o.Adapter, "answered").Inc()
	case hotswap.Failed:
		m.calls.WithLabelValues(o.Adapter, result(o)).Inc()
	case hotswap.Switched:
		m.switches.WithLabelValues(o.To, o.Cause.String()).Inc()
		m.latency.WithLabelValues(o.Cause.String()).Observe(max(0, o.Latency.Seconds()))
	case hotswap.Rescued:
		m.rescues.Inc()
	case hotswap.Voted:
		m.votes.Inc()
	case hotswap.Voided:
		m.void.Inc()
	case hotswap.BusLost:
		m.losses.Inc()
	}
}

// result keeps the label to a few values, whatever an adapter says.
func result(o hotswap.Failed) string {
	switch {
	case o.Stale:
		return "stale"
	case hotswap.Reason(o.Err) == "timeout":
		return "timeout"
	}
	return "failed"
}
