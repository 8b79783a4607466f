// Package cluster tests the settings that go beyond the article with the real
// binaries: eight hotswap processes, the primary, the fallback and a broker.
package cluster
