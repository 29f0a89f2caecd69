// Package clock times what runs on one thread.
package clock

import (
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// Stopwatch runs f and returns the time on the wall and the processor time its thread took: other programs disturb the second less.
func Stopwatch(f func() error) (wall, cpu time.Duration, err error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	start, began := time.Now(), threadTime()
	err = f()
	return time.Since(start), threadTime() - began, err
}

func threadTime() time.Duration {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t) != nil {
		return 0
	}
	return time.Duration(t.Nano())
}
