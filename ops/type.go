package ops

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"weft/kernels/ir"
)

// ElemType is what one element of an array is: a real scalar, or a pair (real, imaginary) of them.
type ElemType struct {
	Base    ir.DType
	Complex bool
}

// Common element types.
var (
	F32  = ElemType{ir.F32, false}
	F64  = ElemType{ir.F64, false}
	C64  = ElemType{ir.F32, true}
	C128 = ElemType{ir.F64, true}
	I32  = ElemType{ir.I32, false}
	I64  = ElemType{ir.I64, false}
	Bool = ElemType{ir.Bool, false}
)

func (t ElemType) String() string {
	if t.Complex {
		return fmt.Sprintf("c%d", 16*t.Base.Size())
	}
	return t.Base.String()
}

// ParseElem is the inverse of String.
func ParseElem(s string) (ElemType, bool) {
	for _, t := range []ElemType{C64, C128} {
		if s == t.String() {
			return t, true
		}
	}
	b, ok := ir.ParseDType(s)
	return ElemType{Base: b}, ok
}

// Size is bytes an element.
func (t ElemType) Size() int {
	if t.Complex {
		return 2 * t.Base.Size()
	}
	return t.Base.Size()
}

// Scalars is how many numbers an element is.
func (t ElemType) Scalars() int { return t.Size() / t.Base.Size() }

// Dim is a named dimension. Coords, if there, give the place of each index in SI units.
type Dim struct {
	Name   string
	Size   int
	Coords []float64
	Unit   Unit // how coordinates are written for people
	// Frame is the system the coordinates are in; nil: none that is known.
	Frame Frame
	// Count, if set, is a single whole number: so many of Size elements there are, the first ones, which is known when it is computed.
	Count *Array
}

// SameCount reports whether as many elements are along two dims of one size.
func (d Dim) SameCount(e Dim) bool {
	return d.Count == e.Count || d.Count != nil && e.Count != nil && *d.Count == *e.Count
}

// Likely is the share of the elements that there probably are, of those that there is room for.
func (t Type) Likely(told Counted) float64 {
	share := 1.0
	for _, d := range t.Dims {
		if d.Count != nil {
			share *= told.of(*d.Count)
		}
	}
	return share
}

// Counted are the shares of the most there can be that are there, by what counts them. What is missing is guessed.
type Counted map[Array]float64

func (c Counted) of(count Array) float64 {
	if share, ok := c[count]; ok {
		return share
	}
	if g, ok := count.Of.Bound.(Guesser); ok {
		return g.Likely(count.Out)
	}
	return 1
}

// SameDims reports whether dims have the same names and extents, in order.
func SameDims(a, b []Dim) bool {
	return slices.EqualFunc(a, b, func(x, y Dim) bool { return x.Name == y.Name && x.Size == y.Size })
}

// ToLast is a list, of dims or of what there is for each, with one of its elements moved to the end.
func ToLast[T any](list []T, i int) []T {
	return append(slices.Delete(slices.Clone(list), i, i+1), list[i])
}

// Tag tells an index apart in the name of a file: by its coordinate, in the unit of the dim, or by its number, in as many digits as the last one has, so
// that files are in order by their names.
func (d Dim) Tag(i int) string {
	if d.Coords == nil {
		return fmt.Sprintf("%0*d", len(strconv.Itoa(d.Size-1)), i)
	}
	return Number{V: d.Coords[i], Unit: d.Unit}.Plain()
}

// Step is the signed distance of neighbours along a dim, 0 where its coordinates are fewer than two. uneven is the first of them that is further
// than a part of the step from where it would be if they were evenly spaced; -1: none is.
func (d Dim) Step(part float64) (step float64, uneven int) {
	n := len(d.Coords)
	if n < 2 {
		return 0, -1
	}
	step = (d.Coords[n-1] - d.Coords[0]) / float64(n-1)
	for i, x := range d.Coords {
		if math.Abs(x-d.Coords[0]-float64(i)*step) > part*math.Abs(step) {
			return step, i
		}
	}
	return step, -1
}

// Type is what the checker knows of an array.
type Type struct {
	Elem   ElemType
	Dims   []Dim
	Unit   Unit
	Format Format // nil: dense, in C order of Dims
}

// Shape is the sizes of the dimensions.
func (t Type) Shape() []int {
	s := make([]int, len(t.Dims))
	for i, d := range t.Dims {
		s[i] = d.Size
	}
	return s
}

// Len is the number of elements.
func (t Type) Len() int {
	n := 1
	for _, d := range t.Dims {
		n *= d.Size
	}
	return n
}

// Bytes is the size of the elements.
func (t Type) Bytes() int64 { return int64(t.Len()) * int64(t.Elem.Size()) }

// Dim finds a dimension by name; -1 when there is none.
func (t Type) Dim(name string) int {
	for i, d := range t.Dims {
		if d.Name == name {
			return i
		}
	}
	return -1
}

// DimNames lists the names of the dimensions in order.
func (t Type) DimNames() []string {
	s := make([]string, len(t.Dims))
	for i, d := range t.Dims {
		s[i] = d.Name
	}
	return s
}

// String is written as in explain: c64 [x: 64, y: 64, z: 128] Pa.
func (t Type) String() string {
	var b strings.Builder
	b.WriteString(t.Elem.String())
	b.WriteString(" [")
	for i, d := range t.Dims {
		if i > 0 {
			b.WriteString(", ")
		}
		if b.WriteString(d.Name + ": "); d.Count != nil {
			b.WriteString("at most ")
		}
		b.WriteString(strconv.Itoa(d.Size))
	}
	b.WriteString("]")
	if !t.Unit.Plain() {
		b.WriteString(" " + t.Unit.String())
	}
	if t.Format != nil {
		b.WriteString(" as " + t.Format.String())
	}
	return b.String()
}
