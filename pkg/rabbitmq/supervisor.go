package rabbitmq

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"log/slog"

	amqp "github.com/rabbitmq/amqp091-go"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/hotswap"
)

// supervise connects, again and again, until ctx ends. It goes through all
// brokers before it pauses.
func (b *Bus) supervise(ctx context.Context, sub hotswap.Subscriber) {
	pauses := backoff{min: b.settings.BackoffMin, max: b.settings.BackoffMax}
	told := false // sub knows of the present loss
	failures := 0
	for attempt := 0; ctx.Err() == nil; attempt++ {
		outcome := b.attempt(ctx, b.brokers[attempt%len(b.brokers)], sub)
		if ctx.Err() != nil || b.life.Err() != nil {
			return
		}
		if outcome.live {
			pauses.reset()
			failures = 0
		}
		if !told || outcome.began {
			told = true
			b.counters.losses.Add(1)
			sub.Lost(outcome.err)
		}
		failures++
		switch {
		case outcome.refused():
			b.status.change(refused, slog.LevelError, "bus refused", "error", outcome.err)
			sleep(ctx, pauses.longest())
		case failures%len(b.brokers) == 0:
			b.status.change(lost, slog.LevelDebug, "bus lost", "error", outcome.err)
			sleep(ctx, pauses.pause())
		default:
			b.status.change(lost, slog.LevelDebug, "bus lost", "error", outcome.err)
		}
	}
}

// outcome tells how far an attempt came and why it ended.
type outcome struct {
	// began, live: the subscriber was told Begin, CaughtUp.
	began, live bool
	err         error
}

// attempt connects to one broker and reads the log until that ends.
func (b *Bus) attempt(ctx context.Context, broker broker, sub hotswap.Subscriber) outcome {
	session, err := connect(ctx, broker, b.settings)
	if err != nil {
		return outcome{err: redact(err, broker)}
	}
	defer session.close()
	if err := b.attach(session); err != nil {
		return outcome{err: err}
	}
	defer b.detach()
	r := &reader{session: session, bus: b, sub: sub}
	err = r.run(ctx)
	return outcome{began: true, live: r.live, err: redact(err, broker)}
}

// refused reports whether the broker answered and will not have us as we are.
// Trying again is of use only after somebody has changed something.
func (o outcome) refused() bool {
	if o.began {
		return false
	}
	if answer, ok := answerOf(o.err); ok {
		switch answer.Code {
		case amqp.AccessRefused, amqp.PreconditionFailed, amqp.NotAllowed:
			return true
		}
	}
	var cert *tls.CertificateVerificationError
	var authority x509.UnknownAuthorityError
	return errors.As(o.err, &cert) || errors.As(o.err, &authority)
}
