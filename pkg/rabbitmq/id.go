package rabbitmq

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"strings"
)

// NewID makes a bus id as Spring Cloud Bus does: "app:index:random", where the
// random part is 32 hex digits and new with every call. app names the service,
// index is what tells its instances apart for people, such as the port. Neither
// may contain what has a meaning in a destination pattern (NewID replaces it).
func NewID(app, index string) string {
	random := make([]byte, 16)
	rand.Read(random)
	return fmt.Sprintf("%s:%s:%s", plain(app), plain(index), hex.EncodeToString(random))
}

// plain replaces the characters that a bus id may not hold in one of its parts.
func plain(part string) string {
	if part == "" {
		return "0"
	}
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(reserved+":", r) {
			return '-'
		}
		return r
	}, part)
}

// reserved are the characters with a meaning in a destination pattern.
const reserved = "*?{}"

// newUUID makes a random (version 4) UUID.
func newUUID() string {
	u := make([]byte, 16)
	rand.Read(u)
	u[6] = u[6]&0x0f | 0x40
	u[8] = u[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", u[:4], u[4:6], u[6:8], u[8:10], u[10:])
}
