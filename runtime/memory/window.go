package memory

import (
	"fmt"
	"os"
	"sync"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/ops"
)

// Window is memory for a whole array of which only some rows are there: the addresses of all are reserved, and the system
// gives memory to those that are touched until they are dropped. Kernels see the array as if all of it were there.
type Window struct {
	buf  *ir.Buffer
	t    ops.Type
	raw  []byte
	data []byte

	mu     sync.Mutex
	lo, hi int // rows that are there
}

// NewWindow reserves the addresses of an array of type t stored as buf. No row is there yet.
func NewWindow(buf *ir.Buffer, t ops.Type) (*Window, error) {
	if len(t.Dims) == 0 {
		return nil, fmt.Errorf("memory: %s has no rows", buf.Name)
	}
	margin := device.Margin * buf.Type.Size()
	bytes := int(buf.Bytes())
	raw, err := reserve(bytes + 2*margin)
	if err != nil {
		return nil, fmt.Errorf("memory: cannot reserve %d bytes of addresses for %s: %w", bytes, buf.Name, err)
	}
	return &Window{buf: buf, t: t, raw: raw, data: raw[margin : margin+bytes : margin+bytes]}, nil
}

// Host is the array as a whole. Rows that are not there read as zero, and must not be written.
func (w *Window) Host() []byte { return w.data }

// Rows are those that are there.
func (w *Window) Rows() region.Interval {
	w.mu.Lock()
	defer w.mu.Unlock()
	return region.Interval{Lo: w.lo, Hi: w.hi}
}

// Bytes is the memory of the rows that are there.
func (w *Window) Bytes() int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	from, to := ops.RowBytes(w.buf, w.t, 0, w.lo, w.hi)
	return int64(to-from) * int64(w.t.Elem.Planes())
}

// Extend makes rows up to, not including, hi ready to be written; the first call from lo on.
func (w *Window) Extend(lo, hi int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.lo == w.hi {
		w.lo, w.hi = lo, lo
	}
	if hi <= w.hi {
		return
	}
	w.pad(w.hi, hi)
	w.hi = hi
}

// pad sets the padding of new rows; zero is there already.
func (w *Window) pad(lo, hi int) {
	p := w.buf.Pad
	if p.Value == 0 || p.Before+p.After == 0 {
		return
	}
	for plane := range w.t.Elem.Planes() {
		from, to := ops.RowBytes(w.buf, w.t, plane, lo, hi)
		first, last := from/w.buf.Type.Size(), to/w.buf.Type.Size()
		if len(w.t.Dims) == 1 { // the padding is around all its elements
			first, last = plane*w.buf.Row(), (plane+1)*w.buf.Row()
		}
		for row := first; row < last; row += w.buf.Row() {
			for i := range p.Before {
				device.SetFloat(w.buf.Type, w.data, row+i, p.Value)
			}
			for i := w.buf.Row() - p.After; i < w.buf.Row(); i++ {
				device.SetFloat(w.buf.Type, w.data, row+i, p.Value)
			}
		}
	}
}

// Drop gives the memory of rows before lo back.
func (w *Window) Drop(lo int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	lo = min(lo, w.hi)
	if lo <= w.lo || w.data == nil {
		return
	}
	for plane := range w.t.Elem.Planes() {
		from, to := ops.RowBytes(w.buf, w.t, plane, w.lo, lo)
		w.release(from, to)
	}
	w.lo = lo
}

// release gives whole pages between two offsets back. The page in which the first row begins was kept when the row before
// it went, so it is taken from its start.
func (w *Window) release(from, to int) {
	page := os.Getpagesize()
	margin := device.Margin * w.buf.Type.Size()
	start, end := (from+margin)/page*page, (to+margin)/page*page
	if w.shared(start, from+margin) {
		start += page
	}
	if start < end {
		discard(w.raw[start:end])
	}
}

// shared reports a page, beginning at an offset, that also holds what is not to go: the end of the plane before, or margins.
func (w *Window) shared(start, from int) bool {
	return start < from && (w.lo == 0 || len(w.t.Dims) == 1)
}

// Free gives all of it back; later calls do nothing.
func (w *Window) Free() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.data == nil {
		return
	}
	w.data = nil
	if err := giveBack(w.raw); err != nil {
		panic(fmt.Sprintf("memory: freeing %s: %v", w.buf.Name, err))
	}
}
