package memory

import (
	"fmt"
	"iter"
	"sync"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/ops"
)

// Window is memory for a whole buffer of which only a region is there: the addresses of all are reserved, and the system
// gives memory to those that are touched until they are dropped. Kernels see the buffer as if all of it were there.
type Window struct {
	buf *ir.Buffer
	*reserved

	mu    sync.Mutex
	at    region.Region // what is there; it grows and shrinks along the first axis
	begun bool          // something was
}

// NewWindow reserves the addresses of a buffer. Nothing is there yet.
func NewWindow(buf *ir.Buffer) (*Window, error) {
	if len(buf.Shape) == 0 {
		return nil, fmt.Errorf("memory: %s has no rows", buf.Name)
	}
	r, err := newReserved(int(buf.Bytes()), device.MarginBytes(buf))
	if err != nil {
		return nil, fmt.Errorf("memory: cannot reserve %d bytes of addresses for %s: %w", buf.Bytes(), buf.Name, err)
	}
	return &Window{buf: buf, reserved: r, at: make(region.Region, len(buf.Shape))}, nil
}

// Host is the buffer as a whole. What is not there must not be written.
func (w *Window) Host() []byte { return w.data }

// Bytes is the memory of what is there.
func (w *Window) Bytes() int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	bytes, _ := ops.RegionBytes(w.buf, w.at)
	return bytes
}

// Extend makes a region ready to be written, as far as its rows are behind those that are there. Along the other dims it is as what
// is there, where anything is.
func (w *Window) Extend(at region.Region) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.at.Empty() {
		w.at = at.Along(0, region.Interval{Lo: at[0].Lo, Hi: at[0].Lo})
		if _, _, held := ops.HeldRows(w.buf, at); !w.begun && (held || at[1:].Equal(region.Whole(w.buf.Shape[1:]...))) {
			w.enlarge()
		}
		w.begun = true
	}
	if hi := w.at[0].Hi; at[0].Hi > hi {
		more := w.at.Along(0, region.Interval{Lo: hi, Hi: at[0].Hi})
		if len(w.idle) > 0 {
			for from, to := range w.ranges(more) {
				end := min(w.up(to), w.down(len(w.data)))
				w.stays(w.down(from), w.up(from))
				w.stays(end, w.up(to))
				w.ready(w.up(from), end)
			}
		}
		ops.FillPadding(w.buf, more, w.data)
		w.at[0].Hi = at[0].Hi
	}
}

// ranges are where a region lies: rows of which parts are held in one piece.
func (w *Window) ranges(at region.Region) iter.Seq2[int, int] {
	if from, to, ok := ops.HeldRows(w.buf, at); ok {
		return func(yield func(from, to int) bool) { yield(from, to) }
	}
	return ops.ByteRanges(w.buf, at)
}

// Drop gives the memory of rows before lo back.
func (w *Window) Drop(lo int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	lo = min(lo, w.at[0].Hi)
	if lo <= w.at[0].Lo || w.data == nil {
		return
	}
	gone, rest := w.at.Along(0, region.Interval{Lo: w.at[0].Lo, Hi: lo}), w.at.Along(0, region.Interval{Lo: lo, Hi: w.at[0].Hi})
	next := len(w.data) // where what is still there begins
	for from := range w.ranges(rest) {
		next = from
		break
	}
	first, end := next, 0
	for from, to := range w.ranges(gone) {
		if to-from >= leastMoved {
			w.drop(w.pages(from, to, next))
			continue
		}
		first, end = min(first, from), to
	}
	if from, to := w.pages(first, end, next); from < to { // pieces of rows, at once: of what lies between them nothing is there
		discard(w.raw[from:to])
	}
	w.at = rest
}

// pages are those between two offsets that go, but for what is still there from next on. The page in which a row begins was kept when
// the row before it went, so it is taken from its start; not the first of a vector, which holds what is before all of it.
func (w *Window) pages(from, to, next int) (start, end int) {
	start = w.down(from)
	if len(w.at) == 1 && start == w.margin() {
		start = w.up(1)
	}
	return start, min(w.up(to), w.down(next))
}

// Free gives all of it back; later calls do nothing.
func (w *Window) Free() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.data == nil {
		return
	}
	if err := w.free(); err != nil {
		panic(fmt.Sprintf("memory: freeing %s: %v", w.buf.Name, err))
	}
}
