package composition

import (
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/hotswap"
	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/rabbitmq"
	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/service"
)

// Broker are the settings of the bus on RabbitMQ.
type Broker struct {
	AMQPURL       string        `env:"AMQP_URL" envDefault:"amqp://guest:guest@localhost:5672/" rule:"amqp" help:"the broker, or the nodes of its cluster"`
	AMQPExchange  string        `env:"AMQP_EXCHANGE" envDefault:"springCloudBus" rule:"text" help:"the bus exchange"`
	AMQPStream    string        `env:"AMQP_STREAM" envDefault:"hotswap.log" rule:"text" help:"the stream that is the log; instances that share it share their switches"`
	AMQPRetention int           `env:"AMQP_RETENTION" envDefault:"16777216" rule:"int>0" help:"bytes of the log that the broker retains"`
	AMQPHeartbeat time.Duration `env:"AMQP_HEARTBEAT" envDefault:"3s" rule:"duration>0" help:"interval of keep-alives; a broker that is silent for one and a half is given up"`
	AMQPCAFile    string        `env:"AMQP_CA_FILE" envDefault:"" rule:"file" help:"authorities to trust for amqps, in PEM; empty: the system's"`
	AMQPCertFile  string        `env:"AMQP_CERT_FILE" envDefault:"" rule:"file" help:"client certificate for amqps, in PEM"`
	AMQPKeyFile   string        `env:"AMQP_KEY_FILE" envDefault:"" rule:"file" help:"key of the client certificate, in PEM"`
}

// Bus is the log as this composition owns it.
type Bus interface {
	hotswap.Bus
	Close() error
}

// Connect makes the bus of the instance with the bus id.
type Connect func(s Settings, id string, log *slog.Logger) (Bus, error)

// RabbitMQ is the Connect of the real system.
func RabbitMQ(s Settings, id string, log *slog.Logger) (Bus, error) {
	bus, err := rabbitmq.New(rabbitmq.Settings{
		URLs:     strings.Split(s.AMQPURL, ","),
		TLS:      rabbitmq.TLS{CAFile: s.AMQPCAFile, CertFile: s.AMQPCertFile, KeyFile: s.AMQPKeyFile},
		ID:       id,
		Exchange: s.AMQPExchange, Stream: s.AMQPStream, MaxBytes: int64(s.AMQPRetention), Heartbeat: s.AMQPHeartbeat,
		Logger: log,
	})
	if err != nil {
		return nil, &service.SettingsError{Problems: []string{
			fmt.Sprintf("AMQP_URL, AMQP_CA_FILE, AMQP_CERT_FILE and AMQP_KEY_FILE must fit together: %v", err)}}
	}
	return bus, nil
}
