// Package region is boxes of indices: what a kernel is run over, what is stored, read, kept and handed on of an array.
package region

import (
	"fmt"
	"iter"
	"slices"
	"strings"
)

// Interval is a half-open range of indices along a dim or an axis.
type Interval struct{ Lo, Hi int }

// Len is the number of indices.
func (i Interval) Len() int { return i.Hi - i.Lo }

// Empty reports whether there is no index in i.
func (i Interval) Empty() bool { return i.Hi <= i.Lo }

// Hull is the least interval that holds both.
func (i Interval) Hull(o Interval) Interval {
	switch {
	case i.Empty():
		return o
	case o.Empty():
		return i
	}
	return Interval{min(i.Lo, o.Lo), max(i.Hi, o.Hi)}
}

// Intersect is what both hold; it is empty where they have nothing in common.
func (i Interval) Intersect(o Interval) Interval { return Interval{max(i.Lo, o.Lo), min(i.Hi, o.Hi)} }

// Within reports whether o holds all of i.
func (i Interval) Within(o Interval) bool { return i.Empty() || o.Lo <= i.Lo && i.Hi <= o.Hi }

// Shift moves both ends.
func (i Interval) Shift(by int) Interval { return Interval{i.Lo + by, i.Hi + by} }

// String is written as 3..7, both ends included.
func (i Interval) String() string { return fmt.Sprintf("%d..%d", i.Lo, i.Hi-1) }

// Region is a box: an interval a dim, the outermost first. One of no dims is a single point.
type Region []Interval

// Whole is all indices of a shape.
func Whole(shape ...int) Region {
	r := make(Region, len(shape))
	for d, n := range shape {
		r[d].Hi = n
	}
	return r
}

// Point is the region of one index.
func Point(index []int) Region {
	r := make(Region, len(index))
	for d, x := range index {
		r[d] = Interval{x, x + 1}
	}
	return r
}

// Shape is the number of indices along every dim.
func (r Region) Shape() []int {
	shape := make([]int, len(r))
	for d, i := range r {
		shape[d] = i.Len()
	}
	return shape
}

// Points is the number of indices in the box.
func (r Region) Points() int64 {
	n := int64(1)
	for _, i := range r {
		n *= int64(max(0, i.Len()))
	}
	return n
}

// Empty reports whether there is no index in r.
func (r Region) Empty() bool { return slices.ContainsFunc(r, Interval.Empty) }

// Equal reports whether both are the same box.
func (r Region) Equal(o Region) bool { return slices.Equal(r, o) }

// Hull is the least box that holds both. One that is nil or empty adds nothing.
func (r Region) Hull(o Region) Region {
	switch {
	case r == nil || r.Empty():
		return o
	case o == nil || o.Empty():
		return r
	}
	return r.with(o, Interval.Hull)
}

// Intersect is what both hold; it is empty where they have nothing in common.
func (r Region) Intersect(o Region) Region { return r.with(o, Interval.Intersect) }

func (r Region) with(o Region, op func(a, b Interval) Interval) Region {
	out := make(Region, len(r))
	for d := range r {
		out[d] = op(r[d], o[d])
	}
	return out
}

// Within reports whether o holds all of r.
func (r Region) Within(o Region) bool {
	if len(r) != len(o) {
		return false
	}
	for d := range r {
		if !r[d].Within(o[d]) {
			return r.Empty()
		}
	}
	return true
}

// Along is r with another interval along one dim.
func (r Region) Along(dim int, i Interval) Region {
	out := slices.Clone(r)
	out[dim] = i
	return out
}

// From is the region counted from the first index of another.
func (r Region) From(o Region) Region {
	return r.with(o, func(a, b Interval) Interval { return Interval{Lo: a.Lo - b.Lo, Hi: a.Hi - b.Lo} })
}

// Indices yields every index of the box, the last dim fastest. The slice is reused.
func (r Region) Indices() iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		if r.Empty() {
			return
		}
		index := make([]int, len(r))
		for d, i := range r {
			index[d] = i.Lo
		}
		for {
			if !yield(index) {
				return
			}
			d := len(r) - 1
			for ; d >= 0; d-- {
				if index[d]++; index[d] < r[d].Hi {
					break
				}
				index[d] = r[d].Lo
			}
			if d < 0 {
				return
			}
		}
	}
}

// String is written as [0..3, 7..9].
func (r Region) String() string {
	parts := make([]string, len(r))
	for d, i := range r {
		parts[d] = i.String()
	}
	return "[" + strings.Join(parts, ", ") + "]"
}
