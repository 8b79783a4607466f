package rabbitmq

import (
	"cmp"
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"strings"

	amqp "github.com/rabbitmq/amqp091-go"
)

// broker is one URL, taken apart.
type broker struct {
	// url is without TLS, which secure adds below the client library.
	url string
	uri amqp.URI
	tls *tls.Config // nil: none
}

// brokers parses the URLs. Its errors hold nothing of them: a URL that does not
// parse may have its password anywhere.
func (s Settings) brokers() ([]broker, error) {
	brokers := make([]broker, 0, len(s.URLs))
	for i, url := range s.URLs {
		uri, err := amqp.ParseURI(url)
		if err != nil {
			return nil, fmt.Errorf("broker URL %d of %d is not of the form amqp[s]://user:password@host:port/vhost "+
				"(reserved characters in user and password percent-encoded)", i+1, len(s.URLs))
		}
		b := broker{url: url, uri: uri}
		if err := b.useTLS(s.TLS); err != nil {
			return nil, err
		}
		brokers = append(brokers, b)
	}
	return brokers, nil
}

// useTLS reads the files, of which the URL's own count where the settings have
// none. It does so for amqp:// as well: a file that can't be read is a mistake.
func (b *broker) useTLS(files TLS) error {
	config, err := TLS{
		CAFile:   cmp.Or(files.CAFile, b.uri.CACertFile),
		CertFile: cmp.Or(files.CertFile, b.uri.CertFile),
		KeyFile:  cmp.Or(files.KeyFile, b.uri.KeyFile),
	}.config()
	if err != nil || b.uri.Scheme != "amqps" {
		return err
	}
	config.ServerName = cmp.Or(b.uri.ServerName, b.uri.Host)
	b.tls = config
	b.url = "amqp" + strings.TrimPrefix(b.url, "amqps")
	return nil
}

// secure makes conn speak TLS, if the broker's URL says so.
func (b broker) secure(ctx context.Context, conn net.Conn) (net.Conn, error) {
	if b.tls == nil {
		return conn, nil
	}
	secured := tls.Client(conn, b.tls)
	return secured, secured.HandshakeContext(ctx)
}
