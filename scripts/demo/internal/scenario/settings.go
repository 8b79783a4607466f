package scenario

import (
	"maps"
	"slices"
	"strings"
)

// base are the settings of every instance: those of the article, with shorter
// times. The callers make the traffic, so the poller is off. A play does not begin
// without the bus, however long a broker takes.
var base = settings{"TIMEOUT": "1s", "HEALTH_INTERVAL": "1s", "POLL_INTERVAL": "0s", "REPLAY_WAIT": patience.String()}

// over returns s on top of others.
func (s settings) over(others settings) settings {
	all := make(settings)
	maps.Copy(all, others)
	maps.Copy(all, s)
	return all
}

// String is how one would write them in a shell.
func (s settings) String() string {
	var words []string
	for _, name := range slices.Sorted(maps.Keys(s)) {
		words = append(words, name+"="+s[name])
	}
	return strings.Join(words, " ")
}
