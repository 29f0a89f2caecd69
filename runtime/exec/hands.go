package exec

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// patience is how long a hand without work stays awake: longer than a run takes from one kernel to the next. A processor that sleeps
// takes 50 to 100 us to come back, as long as a short kernel.
const patience = 200 * time.Microsecond

// hand is a thread that works for one sweep after the other.
type hand struct{ work atomic.Pointer[task] }

// idle are the hands that wait for work.
var idle struct {
	sync.Mutex
	hands []*hand
}

// Rouse has so many threads beside this one awake for a kernel that is about to be launched.
func Rouse(threads int) {
	idle.Lock()
	missing := threads - len(idle.hands)
	for range missing {
		h := new(hand)
		idle.hands = append(idle.hands, h)
		go h.serve()
	}
	idle.Unlock()
}

// task is what a hand does, and who waits for it.
type task struct {
	do     func()
	waiter *sync.WaitGroup
}

// begin does something beside the caller, on a thread that is awake if there is one.
func begin(waiter *sync.WaitGroup, do func()) {
	waiter.Add(1)
	idle.Lock()
	defer idle.Unlock()
	if n := len(idle.hands); n > 0 {
		idle.hands[n-1].work.Store(&task{do, waiter})
		idle.hands = idle.hands[:n-1]
		return
	}
	h := new(hand)
	h.work.Store(&task{do, waiter})
	go h.serve()
}

// serve works until nothing comes for a while.
func (h *hand) serve() {
	for h.await() {
		t := h.work.Swap(nil)
		t.do()
		idle.Lock()
		idle.hands = append(idle.hands, h)
		idle.Unlock()
		t.waiter.Done() // who waits may have more to do for this hand
	}
}

// await looks for work, without going to sleep, until it is there. False: for too long.
func (h *hand) await() bool {
	const looks = 64 // between looks at the clock
	for start := time.Now(); ; runtime.Gosched() {
		for range looks {
			if h.work.Load() != nil {
				return true
			}
		}
		if time.Since(start) > patience && h.leave() {
			return false
		}
	}
}

// leave takes a hand from those that wait, unless somebody has just done so, who brings work.
func (h *hand) leave() bool {
	idle.Lock()
	defer idle.Unlock()
	for i, other := range idle.hands {
		if other == h {
			idle.hands = append(idle.hands[:i], idle.hands[i+1:]...)
			return true
		}
	}
	return false
}
