package rabbitmq

import amqp "github.com/rabbitmq/amqp091-go"

// declare makes the bus exchange, as every Spring Cloud Bus peer declares it,
// and the stream that is the log, bound to it. A thing of that name with other
// properties is an error of the broker's that names the difference (406).
func declare(l *link, ch *amqp.Channel, s Settings) error {
	if err := l.step("declare exchange", func() error {
		return ch.ExchangeDeclare(s.Exchange, amqp.ExchangeTopic, true, false, false, false, nil)
	}); err != nil {
		return err
	}
	if err := l.step("declare stream", func() error {
		_, err := ch.QueueDeclare(s.Stream, true, false, false, false, amqp.Table{
			amqp.QueueTypeArg:                 amqp.QueueTypeStream,
			amqp.StreamMaxLenBytesArg:         s.MaxBytes,
			amqp.StreamMaxSegmentSizeBytesArg: s.SegmentBytes,
		})
		return err
	}); err != nil {
		return err
	}
	return l.step("bind stream", func() error {
		return ch.QueueBind(s.Stream, "#", s.Exchange, false, nil)
	})
}
