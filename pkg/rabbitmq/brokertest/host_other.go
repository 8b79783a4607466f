//go:build !unix

package brokertest

import "testing"

func hostAvailable() bool { return false }

func newHost(t testing.TB) Broker {
	t.Skip("a broker from the host's package needs Unix")
	return nil
}
