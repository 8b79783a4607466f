// Package browser tests the live page as an audience sees it, in Debian's or any
// other Chromium. It has no code of its own.
//
// The tests start a browser and containers and take some minutes, so they run
// only when asked:
//
//	E2E=1 go test -v -timeout 30m ./scripts/browser
//
// One test needs a Docker engine, and the images that docker-compose.yml names;
// the others run scripts/demo. CHROMIUM names another browser than the first that
// is found, COMPOSE another compose. Screenshots are kept in the folder that
// SCREENSHOTS names, or in one that the test prints.
package browser
