// Package tile knows how regions of arrays lie in files and in memory, and converts elements on the way: what formats share whose elements lie
// one after the other.
package tile

import (
	"fmt"
	"iter"

	"weft/kernels/region"
	"weft/ops/files/element"
)

// Layout says how a read places elements in memory.
type Layout struct {
	DType element.DType // type of the elements in memory; see Conversion
	// RowStride is the bytes between the beginnings of two rows, a row being the elements along the last axis.
	// Zero means that rows follow each other without padding. Padding bytes are left as they are.
	RowStride int
}

// Span is the bytes that a tile of the given lengths takes up in memory.
func (l Layout) Span(extent []int) int {
	rows, columns := RowsOf(extent)
	if rows == 0 || columns == 0 {
		return 0
	}
	return (rows-1)*l.Stride(columns) + columns*l.DType.Size()
}

// Stride is the bytes between the beginnings of rows of so many columns.
func (l Layout) Stride(columns int) int {
	if l.RowStride == 0 {
		return columns * l.DType.Size()
	}
	return l.RowStride
}

// RowsOf splits lengths into the number of rows and the length of the last axis. A single value is one row of one.
func RowsOf(extent []int) (rows, columns int) {
	if len(extent) == 0 {
		return 1, 1
	}
	rows = 1
	for _, n := range extent[:len(extent)-1] {
		rows *= n
	}
	return rows, extent[len(extent)-1]
}

// Inside says why a tile is no part of an array of the given shape.
func Inside(t region.Region, shape []int) error {
	if len(t) != len(shape) {
		return fmt.Errorf("a tile of %d dimensions does not fit the shape %v", len(t), element.Shape(shape))
	}
	for i, n := range shape {
		if t[i].Lo < 0 || t[i].Len() < 0 || t[i].Hi > n {
			return fmt.Errorf("the tile %v is outside the shape %v", t, element.Shape(shape))
		}
	}
	return nil
}

// Run is n elements that are contiguous both in an array in C order and in a tile of it, with the place of the first in each.
type Run struct{ InArray, InTile, N int }

// Runs yields the contiguous parts of a tile in order.
func Runs(t region.Region, shape []int) iter.Seq[Run] {
	// Axes after split are whole, so that a run covers the tile's length along split and all that follows.
	split, n, extent := len(shape)-1, 1, t.Shape()
	for ; split >= 0; split-- {
		n *= extent[split]
		if extent[split] != shape[split] {
			break
		}
	}
	outer := max(split, 0)
	strides := Strides(shape)
	return func(yield func(Run) bool) {
		if n == 0 {
			return
		}
		inTile := 0
		for index := range region.Whole(extent[:outer]...).Indices() {
			inArray := 0
			for i := range shape {
				inArray += t[i].Lo * strides[i]
				if i < outer {
					inArray += index[i] * strides[i]
				}
			}
			if !yield(Run{inArray, inTile, n}) {
				return
			}
			inTile += n
		}
	}
}

// Strides is the elements between neighbours along each axis, last axis contiguous.
func Strides(shape []int) []int {
	strides := make([]int, len(shape))
	step := 1
	for i := len(shape) - 1; i >= 0; i-- {
		strides[i] = step
		step *= shape[i]
	}
	return strides
}
