//go:build unix

package usage

import (
	"time"

	"golang.org/x/sys/unix"
)

// CPU is the processor time the process has used so far, all threads, user and system.
func CPU() time.Duration {
	var u unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// maxRSS is the kernel's own count of the largest resident size, in its unit.
func maxRSS() int64 {
	var u unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return int64(u.Maxrss)
}
