package cli

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

// A heap that holds little may grow by littleHeap, one that holds more by what it holds, and none by more than a command may without.
func TestGrowth(t *testing.T) {
	for _, c := range []struct {
		held uint64
		want int
	}{{0, collectAt}, {1 << 20, collectAt}, {littleHeap / 4, collectAt}, {littleHeap / 2, 200}, {littleHeap, 100}, {16 * littleHeap, 100}} {
		if got := growth(c.held); got != c.want {
			t.Errorf("a heap of %d bytes may grow by %d percent, not %d", c.held, got, c.want)
		}
	}
}

// What is allowed follows what the heap holds, collection by collection, and ends with the command.
func TestHeapsAreSparing(t *testing.T) {
	before := debug.SetGCPercent(collectAt)
	defer debug.SetGCPercent(before)
	now := func() int {
		is := debug.SetGCPercent(collectAt)
		debug.SetGCPercent(is)
		return is
	}
	until := func(want func(int) bool) bool { // finalizers run a little behind a collection
		for range 500 {
			runtime.GC()
			if time.Sleep(time.Millisecond); want(now()) {
				return true
			}
		}
		return false
	}
	h := newHeap()
	h.sparing()
	large := make([]byte, 8*littleHeap)
	if !until(func(percent int) bool { return percent == 100 }) {
		t.Errorf("beside %d bytes it may grow by %d percent", len(large), now())
	}
	runtime.KeepAlive(large)
	large = nil
	if !until(func(percent int) bool { return percent > 100 }) {
		t.Errorf("without them it may grow by %d percent", now())
	}
	h.end()
	if until(func(percent int) bool { return percent != collectAt }) {
		t.Errorf("behind the command it may grow by %d percent", now())
	}
}
