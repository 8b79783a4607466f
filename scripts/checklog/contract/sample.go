package contract

import (
	"strings"

	"github.com/adapter-hotswap/adapter-hotswap-go/services/hotswap/walkthrough"
)

// Sample is the log of one cycle with two instances, as compose shows it and as
// the README embeds it. It passes the check.
func Sample() string {
	toFallback := walkthrough.Switching(walkthrough.Primary, walkthrough.Fallback)
	toPrimary := walkthrough.Switching(walkthrough.Fallback, walkthrough.Primary)
	chien, chat := walkthrough.Response(walkthrough.Chien), walkthrough.Response(walkthrough.Chat)
	return strings.Join([]string{
		"hotswap-1  | " + chien,
		"hotswap-2  | " + chien,
		"hotswap-1  | " + chien,
		"hotswap-2  | " + chien,
		"hotswap-1  | " + walkthrough.Detected(walkthrough.Primary, walkthrough.CauseTimeout, walkthrough.Fallback),
		"hotswap-1  | " + toFallback,
		"hotswap-2  | " + walkthrough.Received(walkthrough.Fallback),
		"hotswap-2  | " + toFallback,
		"hotswap-1  | " + chat,
		"hotswap-2  | " + chat,
		"hotswap-2  | " + walkthrough.Recovered(walkthrough.Primary),
		"hotswap-2  | " + toPrimary,
		"hotswap-1  | " + walkthrough.Received(walkthrough.Primary),
		"hotswap-1  | " + toPrimary,
		"hotswap-2  | " + chien,
		"hotswap-1  | " + chien,
	}, "\n") + "\n"
}
