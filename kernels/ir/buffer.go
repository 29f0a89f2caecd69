package ir

import (
	"fmt"
	"math"
	"slices"
)

// Role of a buffer in a kernel follows from its use: stored to, loaded from, or both over different kernels.

// Buffer is an array in device memory, in C order. The innermost axis may be padded: a row then takes Before + n + After
// elements (rounded up to the allocator's liking) and the padding holds Pad.Value, as a promise of the allocator, so that
// a guarded load whose guard is "the innermost index is within the row" needs no test.
// Besides, every buffer may be read (never written) from 64 elements before its first to 64 after its last element.
type Buffer struct {
	Name  string
	Type  DType
	Shape []int // elements an axis; empty for a scalar
	Pad   Pad
	// Held is how many elements of a row, padding included, are in memory at a time where it is not all of them; 0: all are. Rows lie that far apart, so that
	// parts of them which begin and end at the same places lie one behind the other, wherever these are.
	Held  int
	Facts Facts
}

// Pad is constant padding of the innermost axis, in elements.
type Pad struct {
	Before, After int
	Value         float64
}

// Same reports whether two paddings are alike.
func (p Pad) Same(q Pad) bool {
	return p.Before == q.Before && p.After == q.After && sameNumber(p.Value, q.Value)
}

func sameNumber(x, y float64) bool { return x == y || x != x && y != y }

// Facts are advisory properties of a buffer's contents that bounds may use; a device may ignore them.
type Facts struct {
	Mono int         // innermost axis: 1 not decreasing, -1 not increasing, MonoEither one or the other row by row, 0 unknown
	Max  *MaxPyramid // maximum tables over the two innermost axes
	Data *DataFacts  // of a buffer whose elements are known now
	// Within is where the elements that a kernel stored are proved to lie; nil: not known.
	Within *Interval
	// Parts is n of a line of whole numbers from 0 to n that never fall: neighbours part n elements of something else, as row starts do.
	Parts int
	// Likely is the share of the most its numbers can be that they are guessed to be, of such as count what is known only when a program runs; 0: none is told.
	// Each is the mean of the most they can be; 0: none is told. Predictions alone go by these.
	Likely, Each float64
}

// DataFacts sums up known elements, none of which is NaN.
type DataFacts struct {
	Least, Most float64
	Mean        float64
	Slope       float64   // largest difference of neighbours along the innermost axis
	Rising      []int     // the elements themselves, where they are those of a line that never fall and bounds shall look them up
	Elements    []float64 // the elements themselves, in the order of the array, where they are few
}

func (f *DataFacts) String() string {
	if f == nil {
		return "-"
	}
	return fmt.Sprintf("%g..%g slope %g", f.Least, f.Most, f.Slope)
}

// fewElements is how many elements a table has at most that is known by them.
const fewElements = 64

// DataFactsOf sums up rows of elements; nil if there are none, or one is not finite.
func DataFactsOf(data []float64, row int) *DataFacts {
	if len(data) == 0 {
		return nil
	}
	f, each := DataFacts{Least: data[0], Most: data[0]}, 1/float64(len(data))
	if len(data) <= fewElements {
		f.Elements = slices.Clone(data)
	}
	for ; len(data) > 0; data = data[min(row, len(data)):] {
		before := data[0]
		for _, v := range data[:min(row, len(data))] {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil
			}
			f.Least, f.Most, f.Slope = min(f.Least, v), max(f.Most, v), max(f.Slope, math.Abs(v-before))
			f.Mean, before = f.Mean+v*each, v
		}
	}
	return &f
}

// MonoEither says of a buffer that each of its rows is monotone, some perhaps rising and others falling.
const MonoEither = 2

// MaxPyramid bounds a buffer from above, NaN apart. Top, a scalar, holds the largest value of all; Tables hold the largest
// of overlapping windows over the two innermost axes.
type MaxPyramid struct {
	Top    *Buffer
	Tables []MaxTable
}

// MaxTable is one level of a pyramid: entry (r, c) is the largest element of rows [r<<Shift, (r<<Shift)+Rows) and columns
// [c<<Shift, (c<<Shift)+Cols), cut off at the buffer's edges. One lookup at the least row and column then bounds every
// index of a window, wherever in its cell it starts, that is at most Rows-(1<<Shift)+1 by Cols-(1<<Shift)+1 large.
// Block is the number of fold iterations whose indices are meant to fit such a window: a hint, not part of the promise.
type MaxTable struct {
	Buf        *Buffer
	Shift      int
	Rows, Cols int
	Block      int
}

// Len is the number of elements without padding.
func (b *Buffer) Len() int {
	n := 1
	for _, s := range b.Shape {
		n *= s
	}
	return n
}

// Row is the distance in elements between neighbouring rows: the innermost axis with its padding, or what is held of that.
func (b *Buffer) Row() int {
	if b.Held > 0 {
		return b.Held
	}
	return b.Padded()
}

// Padded is the elements of the innermost axis with its padding.
func (b *Buffer) Padded() int {
	if len(b.Shape) == 0 {
		return 1
	}
	return b.Pad.Before + b.Shape[len(b.Shape)-1] + b.Pad.After
}

// Strides are the distances in elements between neighbours along each axis.
func (b *Buffer) Strides() []int {
	s := make([]int, len(b.Shape))
	step := 1
	for i := len(b.Shape) - 1; i >= 0; i-- {
		s[i] = step
		if i == len(b.Shape)-1 {
			step = b.Row()
		} else {
			step *= b.Shape[i]
		}
	}
	return s
}

// Cells is the number of elements with padding: what must be allocated, margins apart. Where parts of rows are held, the last row ends behind them.
func (b *Buffer) Cells() int {
	if len(b.Shape) == 0 {
		return 1
	}
	n := b.Row()
	for _, s := range b.Shape[:len(b.Shape)-1] {
		n *= s
	}
	if n > 0 {
		n += b.Padded() - b.Row()
	}
	return n
}

// Bytes is Cells in bytes.
func (b *Buffer) Bytes() int64 { return int64(b.Cells()) * int64(b.Type.Size()) }
