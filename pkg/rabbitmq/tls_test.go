package rabbitmq_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/bustest"
	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/rabbitmq"
	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/rabbitmq/brokertest"
)

// testTLS reaches the broker through a gate that speaks TLS and asks for a client
// certificate.
func testTLS(t *testing.T, l *busLog) {
	ours, foreign := newAuthority(t, "ours"), newAuthority(t, "foreign")
	server, client := ours.issue(t, "server"), ours.issue(t, "client")
	url := "amqps://" + brokertest.User + ":" + brokertest.Password + "@" + gate(t, l.broker.Port(), ours, server)

	t.Run("Trusted", func(t *testing.T) {
		l.settings.TLS = rabbitmq.TLS{CAFile: ours.file, CertFile: client.cert, KeyFile: client.key}
		s := bustest.Subscribe(t, bustest.Member{Bus: l.bus(t, url)}, &bustest.Recorder{})
		s.AwaitLive(t)
		s.Publish(t, bustest.Event("a", 1))
		s.AwaitEntries(t, 1)
	})
	for name, files := range map[string]rabbitmq.TLS{
		"AuthorityUnknown":    {CAFile: foreign.file, CertFile: client.cert, KeyFile: client.key},
		"NoClientCertificate": {CAFile: ours.file},
	} {
		t.Run(name, func(t *testing.T) {
			l.settings.TLS = files
			for range 20 { // the reason and the end of the connection race
				s := bustest.Subscribe(t, bustest.Member{Bus: l.bus(t, url)}, &bustest.Recorder{})
				s.Await(t, "Lost", func() bool { return len(s.Losses()) == 1 })
				if err := s.Losses()[0]; !strings.Contains(err.Error(), "certificate") {
					t.Errorf("got %v, want an error about the certificate", err)
				}
				s.Leave(t)
			}
		})
	}
}

// gate listens for TLS and passes on to a port of this machine.
func gate(t *testing.T, port int, clients *authority, server keyPair) (address string) {
	t.Helper()
	cert, err := tls.LoadX509KeyPair(server.cert, server.key)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(clients.cert)
	listener, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{
		Certificates: []tls.Certificate{cert}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: pool,
	})
	if err != nil {
		t.Fatal(err)
	}
	brokertest.NewProxyOn(t, listener, port)
	return listener.Addr().String()
}

// authority is a certificate authority of the test.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	file string
	dir  string
}

// keyPair are the files of a certificate and its key.
type keyPair struct{ cert, key string }

func newAuthority(t *testing.T, name string) *authority {
	t.Helper()
	a := &authority{dir: t.TempDir()}
	template := certificate(name)
	template.IsCA, template.KeyUsage, template.BasicConstraintsValid = true, x509.KeyUsageCertSign, true
	var der []byte
	a.key, der = sign(t, template, template, nil)
	a.file = filepath.Join(a.dir, name+".pem")
	writePEM(t, a.file, "CERTIFICATE", der)
	var err error
	if a.cert, err = x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	}
	return a
}

func (a *authority) issue(t *testing.T, name string) keyPair {
	t.Helper()
	key, der := sign(t, certificate(name), a.cert, a.key)
	pair := keyPair{filepath.Join(a.dir, name+".pem"), filepath.Join(a.dir, name+".key")}
	writePEM(t, pair.cert, "CERTIFICATE", der)
	bytes, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	writePEM(t, pair.key, "EC PRIVATE KEY", bytes)
	return pair
}

func certificate(name string) *x509.Certificate {
	return &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()),
		Subject:      pkix.Name{CommonName: name},
		NotBefore:    time.Now().Add(-time.Hour),
		NotAfter:     time.Now().Add(time.Hour),
		IPAddresses:  []net.IP{net.IPv4(127, 0, 0, 1)},
		ExtKeyUsage:  []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
}

// sign makes a key for template and has it signed by parent's, or by itself.
func sign(t *testing.T, template, parent *x509.Certificate, signer *ecdsa.PrivateKey) (*ecdsa.PrivateKey, []byte) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	if signer == nil {
		signer = key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
	if err != nil {
		t.Fatal(err)
	}
	return key, der
}

func writePEM(t *testing.T, file, kind string, der []byte) {
	t.Helper()
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
		t.Fatal(fmt.Errorf("write %s: %w", kind, err))
	}
}
