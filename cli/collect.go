package cli

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

// collectAt is by how many percent the heap may grow before it is collected, unless GOGC says: commands are short, and arrays do not lie there.
const collectAt = 400

// Where arrays may take little, the heap grows by what it holds at most, or by littleHeap if that is more: by several times that, it would grow by
// more than these. A limit of it would be what large programs take to be planned, which was then spent on collecting over and over; without
// littleHeap, small ones would be collected ten times for nothing.
const (
	littleMemory = 192 << 20
	littleHeap   = 16 << 20
)

// heap is when that of a command is collected.
type heap struct {
	lock    sync.Mutex
	percent int // by how many it may grow, as found
	over    bool
}

func newHeap() *heap {
	h := &heap{percent: debug.SetGCPercent(100)}
	debug.SetGCPercent(h.percent)
	return h
}

// sparing has it grow by little for the rest of the command.
func (h *heap) sparing() { h.collected(&struct{ of *heap }{h}) }

// collected sets by how much it may grow until it is collected again, when nothing holds the mark.
func (h *heap) collected(mark *struct{ of *heap }) {
	h.lock.Lock()
	defer h.lock.Unlock()
	if h.over {
		return
	}
	held := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(held)
	debug.SetGCPercent(min(h.percent, growth(held[0].Value.Uint64())))
	runtime.SetFinalizer(mark, h.collected)
}

// end has the heap collected as it was before the command.
func (h *heap) end() {
	h.lock.Lock()
	defer h.lock.Unlock()
	h.over = true
	debug.SetGCPercent(h.percent)
}

// growth is by how many percent a heap that holds so much may grow.
func growth(held uint64) int {
	return int(min(collectAt, max(100, 100*littleHeap/max(held, 1))))
}
