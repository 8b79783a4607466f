//go:build !unix

package main

import "time"

var started = time.Now()

// spent is the time that has passed, for want of the processor time. In parallel
// it is shared by the cores, and smaller.
func spent() time.Duration { return time.Since(started) }
