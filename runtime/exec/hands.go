package exec

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// patience is how often a hand without work looks for some before it ends: some 200 us, longer than a run takes from one kernel to the next. A
// processor that sleeps takes 50 to 100 us to come back, as long as a short kernel. Looks are counted, not timed: clocks of tests may stand still
// while anything is awake.
const patience = 1000

// Hands are the threads of a run that are awake between its kernels. nil: there are none, and threads begin and end with their work.
type Hands struct {
	mu   sync.Mutex
	idle []*hand // that wait for work
}

// hand is a thread that works for one sweep after the other.
type hand struct {
	of   *Hands
	work atomic.Pointer[task]
}

// task is what a hand does, and who waits for it.
type task struct {
	do     func()
	waiter *sync.WaitGroup
}

// Rouse has so many threads beside this one awake for a kernel that is about to be launched.
func (p *Hands) Rouse(threads int) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for range threads - len(p.idle) {
		h := &hand{of: p}
		p.idle = append(p.idle, h)
		go h.serve()
	}
}

// begin does something beside the caller, on a thread that is awake if there is one.
func (p *Hands) begin(waiter *sync.WaitGroup, do func()) {
	if p == nil {
		waiter.Go(do)
		return
	}
	waiter.Add(1)
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.idle); n > 0 {
		p.idle[n-1].work.Store(&task{do, waiter})
		p.idle = p.idle[:n-1]
		return
	}
	h := &hand{of: p}
	h.work.Store(&task{do, waiter})
	go h.serve()
}

// serve works until nothing comes for a while.
func (h *hand) serve() {
	for h.await() {
		t := h.work.Swap(nil)
		t.do()
		h.of.mu.Lock()
		h.of.idle = append(h.of.idle, h)
		h.of.mu.Unlock()
		t.waiter.Done() // who waits may have more to do for this hand
	}
}

// await looks for work, without going to sleep, until it is there. False: for too long.
func (h *hand) await() bool {
	const looks = 64 // before others may run
	for turn := 0; ; turn++ {
		for range looks {
			if h.work.Load() != nil {
				return true
			}
		}
		if turn > patience && h.leave() {
			return false
		}
		runtime.Gosched()
	}
}

// leave takes a hand from those that wait, unless somebody has just done so, who brings work.
func (h *hand) leave() bool {
	h.of.mu.Lock()
	defer h.of.mu.Unlock()
	i := slices.Index(h.of.idle, h)
	if i >= 0 {
		h.of.idle = slices.Delete(h.of.idle, i, i+1)
	}
	return i >= 0
}
