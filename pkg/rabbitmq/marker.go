package rabbitmq

import (
	"context"
	"fmt"

	amqp "github.com/rabbitmq/amqp091-go"
)

// markerType is the AMQP type property of a marker. RabbitMQ does not say where
// the past of a stream ends. So a reader that has begun appends a message of its
// own: all that was in the log before has come when this one comes. It goes
// through the default exchange straight to the stream, so that no peer with a
// queue of its own sees it, and readers skip each other's.
const markerType = "hotswap.end-of-past"

func isMarker(d amqp.Delivery) bool { return d.Type == markerType }

// sendMarker does not wait for a confirmation: the marker's arrival is one.
func (r *reader) sendMarker(ctx context.Context) error {
	r.marker = newUUID()
	_, err := r.session.publisher.send(ctx, "", r.session.settings.Stream, false, amqp.Publishing{
		Type:         markerType,
		MessageId:    r.marker,
		AppId:        r.session.settings.ID,
		DeliveryMode: amqp.Persistent,
	})
	if err != nil {
		return fmt.Errorf("append marker: %w", err)
	}
	return nil
}
