package tiff

import (
	"math"

	"weft/ops/files/element"
	"weft/ops/files/words"
)

// missing marks elements that are nodata, by their bytes in src, as NaN in dst.
type missing func(dst, src, nodata []byte)

var missings = map[element.DType]map[element.DType]missing{
	element.Uint8: missingIn[uint8](), element.Int8: missingIn[int8](), element.Uint16: missingIn[uint16](), element.Int16: missingIn[int16](),
	element.Uint32: missingIn[uint32](), element.Int32: missingIn[int32](), element.Uint64: missingIn[uint64](), element.Int64: missingIn[int64](),
	element.Float16: missingIn[uint16](), // by its bits
	element.Float32: missingIn[float32](), element.Float64: missingIn[float64](),
}

func missingIn[S Element]() map[element.DType]missing {
	return map[element.DType]missing{element.Float32: mark[S, float32], element.Float64: mark[S, float64]}
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
var unmark = map[element.DType]func(dst, nodata []byte){
	element.Float16: replaceHalfNaN, element.Float32: replaceNaN[float32], element.Float64: replaceNaN[float64],
}

func replaceNaN[T float32 | float64](dst, nodata []byte) {
	out, gone := words.View[T](dst), words.View[T](nodata)[0]
	for i, v := range out {
		if v != v {
			out[i] = gone
		}
	}
}

func replaceHalfNaN(dst, nodata []byte) {
	const infinite = 0x7c00 // of IEEE 754 binary16; NaN has more bits
	out, gone := words.View[uint16](dst), words.View[uint16](nodata)[0]
	for i, v := range out {
		if v&0x7fff > infinite {
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
var elements = map[element.DType]func(v float64) ([]byte, bool){
	element.Uint8: whole[uint8], element.Int8: whole[int8], element.Uint16: whole[uint16], element.Int16: whole[int16], element.Uint32: whole[uint32], element.Int32: whole[int32],
	element.Uint64: whole[uint64], element.Int64: whole[int64], element.Float16: half,
	// Files write the value with too few digits for float64: it counts as the nearest float32.
	element.Float32: func(v float64) ([]byte, bool) {
		f := float32(v)
		return words.Raw([]float32{f}), !math.IsInf(float64(f), 0) || math.IsInf(v, 0)
	},
	element.Float64: func(v float64) ([]byte, bool) { return words.Raw([]float64{v}), true },
}

func whole[T integer](v float64) ([]byte, bool) {
	if v < math.MinInt64 || v >= 1<<64 || v != math.Trunc(v) {
		return nil, false
	}
	t := T(int64(v))
	if v >= 1<<63 {
		t = T(uint64(v))
	}
	return words.Raw([]T{t}), float64(t) == v
}

func half(v float64) ([]byte, bool) {
	convert, err := element.Converter(element.Float64, element.Float16)
	out := words.Bytes(2)
	return out, err == nil && convert(out, words.Raw([]float64{v})) < 0
}
