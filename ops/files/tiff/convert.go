package tiff

import (
	"fmt"
	"math"

	"weft/ops/files/words"
)

// Loss says what a conversion between element types can do to a value.
type Loss uint8

// The kinds of conversion.
const (
	Exact   Loss = iota // every value is kept
	Rounded             // to the nearest value, ties to even; beyond the range to infinity
	Checked             // exact for values that fit; reading another value is an error that names it
	Refused             // not done: it would drop a part of every value
)

// Conversion says what reading elements of one type as another does.
//
// Whole numbers become floats, and floats other floats, by IEEE 754 rounding. Whole numbers become other ones only
// where they fit. Floats do not become whole numbers: which rounding is meant is for the caller to say.
func Conversion(from, to DType) Loss {
	f, t := dtypes[from], dtypes[to]
	switch {
	case from == to:
		return Exact
	case from.Float() && !to.Float():
		return Refused
	case to.Float() && f.bits > t.bits:
		return Rounded
	case !to.Float() && (f.bits > t.bits || f.format == formatInt && t.format == formatUint):
		return Checked
	}
	return Exact
}

// convert turns elements into elements of another type: src and dst are aligned and hold the same number. It gives
// the index of the first value that does not fit, or -1.
type convert func(dst, src []byte) int

type converts [Float64 + 1]convert // by the type converted to

var converters = [...]converts{
	Uint8: fromInteger[uint8](), Int8: fromInteger[int8](), Uint16: fromInteger[uint16](), Int16: fromInteger[int16](),
	Uint32: fromInteger[uint32](), Int32: fromInteger[int32](),
	Float32: {Float32: cast[float32, float32], Float64: cast[float32, float64]},
	Float64: {Float32: cast[float64, float32], Float64: cast[float64, float64]},
}

func fromInteger[S integer]() converts {
	return converts{
		Uint8: fit[S, uint8], Int8: fit[S, int8], Uint16: fit[S, uint16], Int16: fit[S, int16],
		Uint32: fit[S, uint32], Int32: fit[S, int32], Float32: cast[S, float32], Float64: cast[S, float64],
	}
}

// converter finds the conversion.
func converter(from, to DType) (convert, error) {
	if !to.Valid() || !from.Valid() {
		return nil, fmt.Errorf("no element type: %v", min(from, to))
	}
	if from == to {
		return func(dst, src []byte) int { copy(dst, src); return -1 }, nil
	}
	if Conversion(from, to) == Refused {
		return nil, &Error{
			Reason: fmt.Sprintf("%v elements cannot become %v", from, to),
			Help:   "take them as a float type and say how to round them",
		}
	}
	return converters[from][to], nil
}

func cast[S Element, D float32 | float64](dst, src []byte) int {
	out := words.View[D](dst)
	for i, v := range words.View[S](src)[:len(out)] {
		out[i] = D(v)
	}
	return -1
}

func fit[S, D integer](dst, src []byte) int {
	out := words.View[D](dst)
	for i, v := range words.View[S](src)[:len(out)] {
		d := D(v)
		if S(d) != v || (d < 0) != (v < 0) {
			return i
		}
		out[i] = d
	}
	return -1
}

// toFloat64 reads the first element of src.
func toFloat64(d DType, src []byte) float64 {
	out := make([]float64, 1)
	converters[d][Float64](words.Raw(out), src[:d.Size()])
	return out[0]
}

// missing marks elements that are nodata, by their bytes in src, as NaN in dst.
type missing func(dst, src, nodata []byte)

var missings = [...][Float64 + 1]missing{
	Uint8: missingIn[uint8](), Int8: missingIn[int8](), Uint16: missingIn[uint16](), Int16: missingIn[int16](),
	Uint32: missingIn[uint32](), Int32: missingIn[int32](), Float32: missingIn[float32](), Float64: missingIn[float64](),
}

func missingIn[S Element]() [Float64 + 1]missing {
	return [Float64 + 1]missing{Float32: mark[S, float32], Float64: mark[S, float64]}
}

func mark[S Element, D float32 | float64](dst, src, nodata []byte) {
	out, gone := words.View[D](dst), words.View[S](nodata)[0]
	for i, v := range words.View[S](src)[:len(out)] {
		if v == gone {
			out[i] = D(math.NaN())
		}
	}
}

// unmark writes the value for missing elements in the place of NaN, by the type of the elements.
var unmark = map[DType]func(dst, nodata []byte){Float32: replaceNaN[float32], Float64: replaceNaN[float64]}

func replaceNaN[T float32 | float64](dst, nodata []byte) {
	out, gone := words.View[T](dst), words.View[T](nodata)[0]
	for i, v := range out {
		if v != v {
			out[i] = gone
		}
	}
}

// nodata gives the value of missing elements as an element of the raster. ok is false where the file names none, or
// one that no element can have, such as -9999 among unsigned integers.
func (h *Header) nodata() (element []byte, ok bool) {
	if h.Nodata == nil {
		return nil, false
	}
	return elements[h.DType](*h.Nodata)
}

// elements gives a value as an element of each type, and whether it can be one.
var elements = [...]func(v float64) ([]byte, bool){
	Uint8: whole[uint8], Int8: whole[int8], Uint16: whole[uint16], Int16: whole[int16], Uint32: whole[uint32], Int32: whole[int32],
	// Files write the value with too few digits for float64: it counts as the nearest float32.
	Float32: func(v float64) ([]byte, bool) {
		f := float32(v)
		return words.Raw([]float32{f}), !math.IsInf(float64(f), 0) || math.IsInf(v, 0)
	},
	Float64: func(v float64) ([]byte, bool) { return words.Raw([]float64{v}), true },
}

func whole[T integer](v float64) ([]byte, bool) {
	if v < math.MinInt32 || v > math.MaxUint32 || v != math.Trunc(v) {
		return nil, false
	}
	t := T(int64(v))
	return words.Raw([]T{t}), float64(t) == v
}
