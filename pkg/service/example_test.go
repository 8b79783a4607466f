package service_test

import (
	"fmt"
	"os"
	"time"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/service"
)

type LogSettings struct {
	Format string `env:"LOG_FORMAT" envDefault:"demo" rule:"demo|text|json" help:"how the log is written"`
}

type Settings struct {
	LogSettings
	Timeout time.Duration `env:"TIMEOUT" envDefault:"3s" rule:"duration>0" help:"how long a call may take"`
	Brokers []string      `env:"AMQP_URL" rule:"amqp" help:"where the brokers are"`
}

func ExampleLoad() {
	settings, err := service.Load[Settings](map[string]string{
		"TIMEOUT":  "250ms",
		"AMQP_URL": "amqp://one,amqp://two",
	})
	fmt.Println(settings.Format, settings.Timeout, len(settings.Brokers), err)

	_, err = service.Load[Settings](map[string]string{"TIMEOUT": "3", "AMQP_URL": "http://demo:secret@one"})
	fmt.Println(err)
	// Output:
	// demo 250ms 2 <nil>
	// TIMEOUT="3": must be a duration above 0, such as 15s; AMQP_URL="http://***@one": must be amqp or amqps URLs with commas between them, such as amqp://user:password@rabbitmq:5672/
}

func ExampleSettings() {
	for _, s := range service.Settings[Settings]() {
		fmt.Printf("%s=%s must be %s: %s\n", s.Name, s.Default, s.Rule, s.Help)
	}
	// Output:
	// LOG_FORMAT=demo must be demo, text or json: how the log is written
	// TIMEOUT=3s must be a duration above 0, such as 15s: how long a call may take
	// AMQP_URL= must be amqp or amqps URLs with commas between them, such as amqp://user:password@rabbitmq:5672/: where the brokers are
}

func ExampleNewLogger() {
	log := service.NewLogger(os.Stdout, "demo", "hotswap-1")
	log.Info("Response: Chien", "adapter", "primary", "latency", 3*time.Millisecond)
	// Output: Response: Chien
}
