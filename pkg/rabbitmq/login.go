package rabbitmq

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"

	amqp "github.com/rabbitmq/amqp091-go"
)

// login makes the part of the client's configuration that says who we are.
func login(uri amqp.URI, name string) (properties amqp.Table, auth []amqp.Authentication) {
	properties = amqp.Table{"connection_name": name, "product": "adapter-hotswap-go"}
	if uri.AuthMechanism != nil {
		return properties, nil
	}
	return properties, []amqp.Authentication{&frankLogin{uri.PlainAuth(), properties}}
}

// frankLogin asks the broker to say so when it refuses a login. Without that
// capability it lets 3 s pass and hangs up, which looks like a broken network.
// The client library fixes the capabilities just before it asks for the response,
// and offers no other place to add one.
type frankLogin struct {
	*amqp.PlainAuth
	properties amqp.Table
}

// Response implements amqp.Authentication.
func (l *frankLogin) Response() string {
	if capabilities, ok := l.properties["capabilities"].(amqp.Table); ok {
		capabilities["authentication_failure_close"] = true
	}
	return l.PlainAuth.Response()
}

// errHungUp is what a connection that ends during the handshake comes to.
var errHungUp = errors.New("the connection ended during the handshake")

// honest replaces the client library's guess that a connection that ended
// without a word was refused: a broker that refuses says so.
func honest(err error) error {
	var answer *amqp.Error
	if errors.As(err, &answer) && !answer.Server && (answer == amqp.ErrCredentials || answer == amqp.ErrVhost) {
		return errHungUp
	}
	return err
}

// answerOf finds what the broker itself said.
func answerOf(err error) (answer *amqp.Error, ok bool) {
	ok = errors.As(err, &answer) && answer.Server
	return answer, ok
}

// attentive remembers why reading failed. Of a connection that ends, the client
// library may report only that writing to it fails.
type attentive struct {
	net.Conn
	mu  sync.Mutex
	err error
}

func (a *attentive) Read(p []byte) (int, error) {
	n, err := a.Conn.Read(p)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, net.ErrClosed) {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.err = cmp.Or(a.err, err)
	}
	return n, err
}

// reason is the better one of err and the failed read, unless err is the
// broker's own.
func (a *attentive) reason(err error) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, answered := answerOf(err); err == nil || answered || a.err == nil {
		return err
	}
	return a.err
}

// explain puts the broker's words in the place of the library's frame around
// them.
func explain(err error) error {
	if answer, ok := answerOf(err); ok {
		return fmt.Errorf("%s (%d)%w", answer.Reason, answer.Code, silent{err})
	}
	return err
}

// silent keeps an error in the chain and out of the text.
type silent struct{ error }

func (silent) Error() string   { return "" }
func (s silent) Unwrap() error { return s.error }
