// Package e2e tests the system as people run it: docker-compose.yml in a clean
// clone, real containers and a real broker. It has no code of its own.
//
// The tests start containers and take some minutes, so they run only when asked:
//
//	E2E=1 go test -v -timeout 30m ./scripts/e2e
//
// They use a compose project and ports of their own, and leave nothing behind but
// the build cache. COMPOSE="docker compose" picks another compose than the first
// that is found. What they measure, and do not judge, they print as "measured: …".
package e2e
