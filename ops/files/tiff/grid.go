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

// blocks is the number of blocks in all.
func (h *Header) blocks() int64 { return h.across() * ceilDiv(int64(h.Height), int64(h.BlockH)) }

func ceilDiv(a, b int64) int64 { return (a + b - 1) / b }

// block is the i-th one, by rows of blocks. The last strip is as short as the raster is.
func (h *Header) block(i int) block {
	across := int(h.across())
	y, x := i/across*h.BlockH, i%across*h.BlockW
	rows := h.BlockH
	if !h.Tiled {
		rows = min(rows, h.Height-y)
	}
	return block{i, Rect{y, y + rows, x, x + h.BlockW}}
}

// over yields the blocks that hold a part of r, in order.
func (h *Header) over(r Rect) iter.Seq[block] {
	return func(yield func(block) bool) {
		if r.empty() {
			return
		}
		across := int(h.across())
		for i := r.Y0 / h.BlockH; i <= (r.Y1-1)/h.BlockH; i++ {
			for j := r.X0 / h.BlockW; j <= (r.X1-1)/h.BlockW; j++ {
				if !yield(h.block(i*across + j)) {
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
