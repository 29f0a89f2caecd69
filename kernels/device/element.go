package device

import (
	"fmt"
	"unsafe"

	"weft/kernels/ir"
)

// Element is a Go type whose values lie in memory as an ir type's elements do; F16 and BF16 are uint16, Bool is uint8.
type Element interface {
	int8 | uint8 | int16 | uint16 | int32 | uint32 | int64 | float32 | float64
}

// View is memory as a slice of elements, padding included. The element sizes of T and the memory's type must agree.
func View[T Element](data []byte, t ir.DType) []T {
	var zero T
	if size := int(unsafe.Sizeof(zero)); size != t.Size() {
		panic(fmt.Sprintf("device: a view of %d-byte elements on %s", size, t))
	}
	if len(data) == 0 {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(data))), len(data)/t.Size())
}

// codec reads and writes elements of one type: element i, or as many as there are values.
type codec struct {
	load  func(dst []float64, p []byte)
	store func(p []byte, src []float64)
	float func(p []byte, i int) float64
	int   func(p []byte, i int) int64
	setF  func(p []byte, i int, v float64)
	setI  func(p []byte, i int, v int64)
}

// number is the codec of a type that Go has: a float set to an integer type truncates.
func number[T Element](t ir.DType) codec {
	return codec{
		load: func(dst []float64, p []byte) {
			in := View[T](p, t)[:len(dst)]
			if same, ok := any(in).([]float64); ok {
				copy(dst, same)
				return
			}
			for i, v := range in {
				dst[i] = float64(v)
			}
		},
		store: func(p []byte, src []float64) {
			out := View[T](p, t)[:len(src)]
			if same, ok := any(out).([]float64); ok {
				copy(same, src)
				return
			}
			if t.Int() {
				for i, v := range src {
					out[i] = T(int64(v))
				}
				return
			}
			for i, v := range src {
				out[i] = T(v)
			}
		},
		float: func(p []byte, i int) float64 { return float64(View[T](p, t)[i]) },
		int:   func(p []byte, i int) int64 { return int64(View[T](p, t)[i]) },
		setF: func(p []byte, i int, v float64) {
			if t.Int() {
				View[T](p, t)[i] = T(int64(v))
				return
			}
			View[T](p, t)[i] = T(v)
		},
		setI: func(p []byte, i int, v int64) { View[T](p, t)[i] = T(v) },
	}
}

func small(t ir.DType, decode func(uint16) float32, encode func(float64) uint16) codec {
	get := func(p []byte, i int) float64 { return float64(decode(View[uint16](p, t)[i])) }
	set := func(p []byte, i int, v float64) { View[uint16](p, t)[i] = encode(v) }
	return codec{
		load: func(dst []float64, p []byte) {
			for i, v := range View[uint16](p, t)[:len(dst)] {
				dst[i] = float64(decode(v))
			}
		},
		store: func(p []byte, src []float64) {
			for i, v := range src {
				View[uint16](p, t)[i] = encode(v)
			}
		},
		float: get,
		int:   func(p []byte, i int) int64 { return int64(get(p, i)) },
		setF:  set,
		setI:  func(p []byte, i int, v int64) { set(p, i, float64(v)) },
	}
}

func truth[T int64 | float64](v T) uint8 {
	if v != 0 {
		return 1
	}
	return 0
}

var codecs = [...]codec{
	ir.Bool: {
		load: func(dst []float64, p []byte) {
			for i := range dst {
				dst[i] = float64(truth(int64(p[i])))
			}
		},
		store: func(p []byte, src []float64) {
			for i, v := range src {
				p[i] = truth(v)
			}
		},
		float: func(p []byte, i int) float64 { return float64(truth(int64(p[i]))) },
		int:   func(p []byte, i int) int64 { return int64(truth(int64(p[i]))) },
		setF:  func(p []byte, i int, v float64) { p[i] = truth(v) },
		setI:  func(p []byte, i int, v int64) { p[i] = truth(v) },
	},
	ir.I8:   number[int8](ir.I8),
	ir.U8:   number[uint8](ir.U8),
	ir.I16:  number[int16](ir.I16),
	ir.U16:  number[uint16](ir.U16),
	ir.I32:  number[int32](ir.I32),
	ir.U32:  number[uint32](ir.U32),
	ir.I64:  number[int64](ir.I64),
	ir.F16:  small(ir.F16, FloatFromHalf, HalfFromFloat),
	ir.BF16: small(ir.BF16, FloatFromBrain, BrainFromFloat),
	ir.F32:  number[float32](ir.F32),
	ir.F64:  number[float64](ir.F64),
}

// Load widens as many elements as dst has to float64. Integers beyond 2^53 round; any Bool but 0 is 1.
func Load(t ir.DType, dst []float64, data []byte) { codecs[t].load(dst, data) }

// Store narrows float64 values to elements: floats round to nearest even, integers truncate and wrap.
func Store(t ir.DType, data []byte, src []float64) { codecs[t].store(data, src) }

// Float is element i of data as a float64; any Bool but 0 is 1.
func Float(t ir.DType, data []byte, i int) float64 { return codecs[t].float(data, i) }

// Int is element i of data as an int64; floats truncate.
func Int(t ir.DType, data []byte, i int) int64 { return codecs[t].int(data, i) }

// SetFloat stores v to element i: floats round to nearest even, integers truncate and wrap.
func SetFloat(t ir.DType, data []byte, i int, v float64) { codecs[t].setF(data, i, v) }

// SetInt stores v to element i: integers wrap.
func SetInt(t ir.DType, data []byte, i int, v int64) { codecs[t].setI(data, i, v) }

// PadFloat is a buffer's padding value as its type holds it.
func PadFloat(buf *ir.Buffer) float64 {
	var cell [8]byte
	SetFloat(buf.Type, cell[:buf.Type.Size()], 0, buf.Pad.Value)
	return Float(buf.Type, cell[:buf.Type.Size()], 0)
}
