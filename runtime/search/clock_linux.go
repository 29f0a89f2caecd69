package search

import (
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// stopwatch runs f and returns the processor time of its thread, which other programs disturb least.
func stopwatch(f func() error) (time.Duration, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	start := threadTime()
	err := f()
	return threadTime() - start, err
}

func threadTime() time.Duration {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t) != nil {
		return 0
	}
	return time.Duration(t.Nano())
}
