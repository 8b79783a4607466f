//go:build unix

package main

import (
	"syscall"
	"time"
)

// spent is the processor time of this process, on all cores.
func spent() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
