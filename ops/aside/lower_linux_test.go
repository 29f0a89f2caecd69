package aside

import (
	"testing"

	"golang.org/x/sys/unix"
)

// What is done aside has a lower priority than what began it, which keeps its own.
func TestThreadsAsideGiveWay(t *testing.T) {
	priority := func() int {
		is, err := unix.Getpriority(unix.PRIO_PROCESS, unix.Gettid())
		if err != nil {
			t.Error(err)
		}
		return greatest - is
	}
	before, there := priority(), make(chan int)
	Go(func() { there <- priority() })
	if got, want := <-there, min(lowest, before+less); got != want {
		t.Errorf("the priority aside is %d, want %d", got, want)
	}
	for range 100 {
		if got := priority(); got != before {
			t.Errorf("the priority of what computes is %d, and was %d", got, before)
		}
	}
}
