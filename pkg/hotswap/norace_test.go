//go:build !race

package hotswap

const raceDetector = false
