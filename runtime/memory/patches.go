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
	rows bool
	*reserved
}

// NewPatches reserves the addresses of a buffer, whose elements begin with a page. If so many whole rows are dropped at a time, which is more than none, they come in
// large pages where they fill many: each end of them takes up to one more than it holds.
func NewPatches(buf *ir.Buffer, rows int) (*Patches, error) {
	r, err := newReserved(int(buf.Bytes()), device.MarginBytes(buf))
	if err != nil {
		return nil, fmt.Errorf("memory: cannot reserve %d bytes of addresses for %s: %w", buf.Bytes(), buf.Name, err)
	}
	if rows > 0 && buf.Bytes()/int64(max(1, buf.Shape[0]))*int64(rows) >= hugeFrom {
		r.enlarge()
	}
	return &Patches{buf, rows > 0, r}, nil
}

// Host is the buffer as a whole.
func (p *Patches) Host() []byte { return p.data }

// Ready gives some rows pages of those that were dropped, as far as there are any. Nothing of them is there.
func (p *Patches) Ready(at region.Region) {
	for from, to := range ops.ByteRanges(p.buf, at) {
		p.stays(p.down(from), p.up(from)) // of these pages others have parts, which were dropped, or are there
		p.stays(p.down(to), p.up(to))
		p.ready(p.up(from), p.down(to))
	}
}

// Drop gives the memory of a box up, but for pages that hold other elements which are still needed.
func (p *Patches) Drop(at region.Region, held func(region.Region) bool) {
	page, size, row, margin := os.Getpagesize(), p.buf.Type.Size(), p.buf.Row(), p.margin()
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
	if whole := append(region.Region{at[0]}, region.Whole(shape[1:]...)...); !p.rows && !held(whole) {
		at = whole // at once: every call has the other processors forget where pages are
	}
	for from, to := range ops.ByteRanges(p.buf, at) {
		lo, hi := p.down(from), min(p.up(to), margin+len(p.data)/page*page)
		if lo-margin < from && keeps(lo-margin, from) {
			lo = p.up(from)
		}
		if hi-margin > to && keeps(to, hi-margin) {
			hi = p.down(to)
		}
		switch {
		case p.rows:
			p.drop(lo, hi)
		case lo < hi: // nobody takes the pages of parts of rows up again
			discard(p.raw[lo:hi])
		}
	}
}

// Free gives all of it back.
func (p *Patches) Free() {
	if p.data == nil {
		return
	}
	if err := p.free(); err != nil {
		panic(fmt.Sprintf("memory: freeing %s: %v", p.buf.Name, err))
	}
}
