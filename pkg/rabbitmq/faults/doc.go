// Package faults holds no code but tests: three instances of a service share a
// real broker while it, or the way to it, is broken on purpose. After every
// fault all instances are on the adapter that the log has in force, the log
// holds every event whose publish was confirmed, and no goroutine is left.
package faults
