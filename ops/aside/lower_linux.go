package aside

import (
	"runtime"

	"golang.org/x/sys/unix"
)

const (
	less     = 10 // steps of priority: a tenth of what a thread gets that computes
	lowest   = 19
	greatest = 20 // what the system call takes a priority from to give it
)

// lower gives the thread of a goroutine a lower priority, which the thread keeps: it ends with the goroutine. Where that is refused, what follows is done no slower.
func lower() {
	runtime.LockOSThread()
	is, err := unix.Getpriority(unix.PRIO_PROCESS, unix.Gettid())
	if err == nil {
		_ = unix.Setpriority(unix.PRIO_PROCESS, unix.Gettid(), min(lowest, greatest-is+less))
	}
}
