//go:build race

package hotswap

// raceDetector says that the tests run ten times as slow.
const raceDetector = true
