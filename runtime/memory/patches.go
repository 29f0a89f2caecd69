package memory

import (
	"fmt"
	"os"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/ops"
)

// Patches is memory for a whole buffer of which boxes are there: the addresses of all are reserved, what is written has memory until it is dropped, and the
// rest reads as zero.
type Patches struct {
	buf  *ir.Buffer
	raw  []byte
	data []byte
}

// NewPatches reserves the addresses of a buffer, whose elements begin with a page; large pages if whole rows are dropped.
func NewPatches(buf *ir.Buffer, rows bool) (*Patches, error) {
	page := os.Getpagesize()
	margin, bytes := (device.MarginBytes(buf)+page-1)/page*page, int(buf.Bytes())
	raw, err := reserve(bytes+2*margin, rows)
	if err != nil {
		return nil, fmt.Errorf("memory: cannot reserve %d bytes of addresses for %s: %w", bytes, buf.Name, err)
	}
	return &Patches{buf: buf, raw: raw, data: raw[margin : margin+bytes : margin+bytes]}, nil
}

// Host is the buffer as a whole.
func (p *Patches) Host() []byte { return p.data }

// Drop gives the memory of a box back, but for pages that hold other elements which are still needed.
func (p *Patches) Drop(at region.Region, held func(region.Region) bool) {
	page, size, row := os.Getpagesize(), p.buf.Type.Size(), p.buf.Row()
	margin := (len(p.raw) - len(p.data)) / 2
	shape := p.buf.Shape
	last := len(shape) - 1
	keeps := func(from, to int) bool { // offsets, of less than a page
		from, to = max(0, from)/size, min(to, len(p.data))/size
		for from < to {
			end := min(to, (from/row+1)*row)
			index, rest := make([]int, last), from/row
			for d := last - 1; d >= 0; d-- {
				index[d], rest = rest%shape[d], rest/shape[d]
			}
			begin := from/row*row + p.buf.Pad.Before
			if held(append(region.Point(index), region.Interval{Lo: from - begin, Hi: end - begin})) {
				return true
			}
			from = end
		}
		return false
	}
	for from, to := range ops.ByteRanges(p.buf, at) {
		lo, hi := from/page*page, (to+page-1)/page*page
		if lo < from && keeps(lo, from) {
			lo += page
		}
		if hi > to && keeps(to, hi) {
			hi -= page
		}
		if lo < hi {
			discard(p.raw[margin+lo : min(margin+hi, len(p.raw))])
		}
	}
}

// Free gives all of it back.
func (p *Patches) Free() {
	if p.data == nil {
		return
	}
	p.data = nil
	if err := giveBack(p.raw); err != nil {
		panic(fmt.Sprintf("memory: freeing %s: %v", p.buf.Name, err))
	}
}
