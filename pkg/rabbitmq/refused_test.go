package rabbitmq

import (
	"crypto/x509"
	"errors"
	"fmt"
	"testing"

	amqp "github.com/rabbitmq/amqp091-go"
)

// A broker that will not have us as we are is left in peace for a while; one that
// is not ready yet is not.
func TestWhatCountsAsRefused(t *testing.T) {
	answer := func(code int, reason string) error {
		return fmt.Errorf("attempt: %w", &amqp.Error{Code: code, Reason: reason, Server: true})
	}
	for name, test := range map[string]struct {
		outcome outcome
		refused bool
	}{
		"a wrong password":                 {outcome{err: answer(amqp.AccessRefused, "ACCESS_REFUSED")}, true},
		"a stream with other arguments":    {outcome{err: answer(amqp.PreconditionFailed, "inequivalent arg 'x-max-length-bytes'")}, true},
		"a vhost that we may not use":      {outcome{err: answer(amqp.NotAllowed, "NOT_ALLOWED")}, true},
		"an authority that we don't trust": {outcome{err: x509.UnknownAuthorityError{}}, true},
		"a stream that is just being made": {outcome{err: answer(amqp.PreconditionFailed,
			"queue 'hotswap.log' in vhost '/' does not have a replica on the local node")}, false},
		"a broker that stops":        {outcome{err: answer(amqp.ConnectionForced, "shutdown")}, false},
		"a network that breaks":      {outcome{err: errors.New("connection reset by peer")}, false},
		"a refusal once it had read": {outcome{began: true, err: answer(amqp.AccessRefused, "ACCESS_REFUSED")}, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := test.outcome.refused(); got != test.refused {
				t.Errorf("refused: %v, want %v", got, test.refused)
			}
		})
	}
}
