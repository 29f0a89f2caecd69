package tiff

import (
	"fmt"
	"iter"
	"math"
)

// Rect is the elements of rows Y0 up to, not including, Y1 and columns X0 up to, not including, X1.
type Rect struct{ Y0, Y1, X0, X1 int }

// Height is the number of rows.
func (r Rect) Height() int { return r.Y1 - r.Y0 }

// Width is the number of columns.
func (r Rect) Width() int { return r.X1 - r.X0 }

// String gives rows and columns.
func (r Rect) String() string {
	return fmt.Sprintf("rows %d to %d, columns %d to %d", r.Y0, r.Y1, r.X0, r.X1)
}

// Whole is the rectangle that is all of a raster.
func (h Header) Whole() Rect { return Rect{0, h.Height, 0, h.Width} }

func (r Rect) intersect(o Rect) Rect {
	return Rect{max(r.Y0, o.Y0), min(r.Y1, o.Y1), max(r.X0, o.X0), min(r.X1, o.X1)}
}

func (r Rect) empty() bool { return r.Y0 >= r.Y1 || r.X0 >= r.X1 }

// within says why r is no part of the raster.
func (r Rect) within(h *Header) error {
	if r.Y0 < 0 || r.X0 < 0 || r.Y1 < r.Y0 || r.X1 < r.X0 || r.Y1 > h.Height || r.X1 > h.Width {
		return fmt.Errorf("%v are outside the raster of %d rows and %d columns", r, h.Height, h.Width)
	}
	return nil
}

// block is one strip or tile.
type block struct {
	index int
	area  Rect // what is stored; a tile may reach beyond the raster
}

// across is the number of blocks side by side.
func (h *Header) across() int64 { return ceilDiv(int64(h.Width), int64(h.BlockW)) }

// each is the number of blocks of a band, or of all bands together where their elements lie side by side.
func (h *Header) each() int64 { return h.across() * ceilDiv(int64(h.Height), int64(h.BlockH)) }

// planes is the number of bands that have blocks of their own, if all are read or written.
func (h *Header) planes() int {
	if h.Mixed || h.Band > 0 {
		return 1
	}
	return max(1, h.Bands)
}

// blocks is the number of blocks in all.
func (h *Header) blocks() int64 { return h.each() * int64(h.planes()) }

func ceilDiv(a, b int64) int64 { return (a + b - 1) / b }

// block is the i-th one, band by band and by rows of blocks. The last strip is as short as the raster is.
func (h *Header) block(i int) block {
	across, at := int(h.across()), i%int(h.each())
	y, x := at/across*h.BlockH, at%across*h.BlockW
	rows := h.BlockH
	if !h.Tiled {
		rows = min(rows, h.Height-y)
	}
	return block{i, Rect{y, y + rows, x, x + h.BlockW}}
}

// over yields the blocks of a plane that hold a part of r, in order.
func (h *Header) over(plane int, r Rect) iter.Seq[block] {
	return func(yield func(block) bool) {
		if r.empty() {
			return
		}
		across, first := int(h.across()), plane*int(h.each())
		for i := r.Y0 / h.BlockH; i <= (r.Y1-1)/h.BlockH; i++ {
			for j := r.X0 / h.BlockW; j <= (r.X1-1)/h.BlockW; j++ {
				if !yield(h.block(first + i*across + j)) {
					return
				}
			}
		}
	}
}

// blockBytes is the size of a full block when unpacked, or -1 for one beyond all bounds.
func (h *Header) blockBytes() int64 {
	if int64(h.BlockH) > math.MaxInt64/8/int64(h.BlockW) {
		return -1
	}
	return int64(h.BlockH) * int64(h.BlockW) * int64(h.DType.Size())
}

// bytes is the size of a block when unpacked.
func (h *Header) bytes(b block) int64 {
	return int64(b.area.Height()) * int64(b.area.Width()) * int64(h.DType.Size())
}
