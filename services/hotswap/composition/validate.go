package composition

import (
	"fmt"
	"time"
)

// minHeartbeat is the shortest interval of keep-alives that AMQP can name.
const minHeartbeat = time.Second

// Validate refuses settings that are right one by one and can't work together.
// The error names the variable, its value and what it must be.
func (s *Settings) Validate() error {
	for _, rule := range s.combinations() {
		if rule.broken {
			return fmt.Errorf("%s=\"%v\": must be %s", rule.variable, rule.value, rule.must)
		}
	}
	return nil
}

// combination is a rule about one variable that depends on others.
type combination struct {
	broken   bool
	variable string
	value    any
	must     string
}

func (s *Settings) combinations() []combination {
	return []combination{
		{s.FailureRate > 0 && s.Failures > 1, "FAILURES", s.Failures,
			"1, the default, when FAILURE_RATE decides instead"},
		{s.FailureWindow < time.Millisecond, "FAILURE_WINDOW", s.FailureWindow, "1ms or more"},
		{s.Quorum > 1 && s.QuorumWindow < s.voteAge(), "QUORUM_WINDOW", s.QuorumWindow,
			fmt.Sprintf("at least %v, or a vote expires before the next probe renews it (HEALTH_INTERVAL, PROBE_JITTER and TIMEOUT together)", s.voteAge())},
		{s.OneProber && s.Timeout > s.claimAge(), "TIMEOUT", s.Timeout,
			fmt.Sprintf("at most %v with ONE_PROBER, or a second instance probes while the first one's probe hangs (HEALTH_INTERVAL less PROBE_JITTER)", s.claimAge())},
		{s.HoldDown > s.HoldDownMax, "HOLD_DOWN", s.HoldDown, fmt.Sprintf("at most HOLD_DOWN_MAX, %v", s.HoldDownMax)},
		{s.HoldDown > 0 && s.HoldDownMax <= s.HealthInterval, "HOLD_DOWN_MAX", s.HoldDownMax,
			fmt.Sprintf("above HEALTH_INTERVAL, %v: no probe comes sooner than that anyway", s.HealthInterval)},
		{s.HoldDown > 0 && s.QuietPeriod <= s.Timeout+s.TimeoutJitter, "QUIET_PERIOD", s.QuietPeriod,
			fmt.Sprintf("above %v, or no timeout after a return comes in time to be held against it (TIMEOUT and TIMEOUT_JITTER together)", s.Timeout+s.TimeoutJitter)},
		{s.AMQPHeartbeat < minHeartbeat, "AMQP_HEARTBEAT", s.AMQPHeartbeat, "at least 1s"},
		{s.AMQPCertFile != "" && s.AMQPKeyFile == "", "AMQP_KEY_FILE", s.AMQPKeyFile, "set together with AMQP_CERT_FILE"},
		{s.AMQPKeyFile != "" && s.AMQPCertFile == "", "AMQP_CERT_FILE", s.AMQPCertFile, "set together with AMQP_KEY_FILE"},
	}
}

// voteAge is how old a vote may get before it is cast again: the time to the next
// probe, and as long as that may hang.
func (s *Settings) voteAge() time.Duration {
	return s.HealthInterval + s.jitter() + s.Timeout
}

// claimAge is how long the right to probe is sure to last.
func (s *Settings) claimAge() time.Duration { return s.HealthInterval - s.jitter() }

func (s *Settings) jitter() time.Duration {
	return time.Duration(s.ProbeJitter * float64(s.HealthInterval))
}
