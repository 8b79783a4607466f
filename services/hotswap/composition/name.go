package composition

import (
	"context"
	"math/rand/v2"
	"net"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/adapter-hotswap/adapter-hotswap-go/services/hotswap/adapters/poller"
)

// instanceName is what people call this instance: the setting, else the name
// that compose gave the container, else the host name.
func instanceName(ctx context.Context, setting string) string {
	if setting != "" {
		return setting
	}
	if name, ok := containerName(ctx); ok {
		return name
	}
	host, err := os.Hostname()
	if err != nil {
		return "hotswap"
	}
	return host
}

// nameBound is how long a name may take. The engine's own DNS answers in about a
// millisecond; elsewhere nobody may answer.
const nameBound = 250 * time.Millisecond

// containerName asks the container engine's DNS what the own address is called.
// In a container of compose that is project_service_index.network.
func containerName(ctx context.Context) (string, bool) {
	if _, err := os.Stat("/.dockerenv"); err != nil {
		return "", false
	}
	ctx, cancel := context.WithTimeout(ctx, nameBound)
	defer cancel()
	addresses, _ := net.InterfaceAddrs()
	for _, a := range addresses {
		network, ok := a.(*net.IPNet)
		if !ok || network.IP.IsLoopback() || network.IP.To4() == nil {
			continue
		}
		// The mapped spelling misses the hosts file, which knows the container's id.
		resolver := net.Resolver{PreferGo: true}
		names, _ := resolver.LookupAddr(ctx, "::ffff:"+network.IP.String())
		for _, name := range names {
			if short, ok := shortName(name); ok {
				return short, true
			}
		}
	}
	return "", false
}

var composeName = regexp.MustCompile(`^(hotswap(?:-[a-z]+|-([0-9]+))?)[_-]([0-9]+)$`)

// shortName turns the name of a container of compose, without its project, into
// one for people: project_hotswap-1_1.network is hotswap-1, and
// project-hotswap-more-2.network is hotswap-more-2.
func shortName(name string) (string, bool) {
	label, _, _ := strings.Cut(name, ".")
	start := strings.LastIndex(label, "hotswap")
	if start < 0 {
		return "", false
	}
	parts := composeName.FindStringSubmatch(label[start:])
	switch {
	case parts == nil:
		return "", false
	case parts[2] != "" && parts[3] == "1":
		return parts[1], true
	}
	return parts[1] + "-" + parts[3], true
}

var trailingNumber = regexp.MustCompile(`[0-9]+$`)

// moreAfter is how many instances compose starts before the first hotswap-more.
const moreAfter = 2

// phase is when in its interval the instance of that name polls: by its number,
// or at random if it has none.
func phase(name string) float64 {
	number, err := strconv.Atoi(trailingNumber.FindString(name))
	if err != nil {
		return rand.Float64()
	}
	if strings.Contains(name, "-more-") {
		number += moreAfter
	}
	return poller.Phase(number)
}
