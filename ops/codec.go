package ops

import (
	"unsafe"

	"weft/kernels/ir"
)

// codec converts between elements of one storage type and float64. Integers beyond 2^53 round.
type codec struct {
	load  func(dst []float64, src []byte)
	store func(dst []byte, src []float64)
}

var codecs = [...]codec{
	ir.Bool: {loadWith(func(b uint8) float64 { return float64(min(b, 1)) }), storeWith(func(v float64) uint8 {
		if v != 0 {
			return 1
		}
		return 0
	})},
	ir.I8:   plain[int8](),
	ir.U8:   plain[uint8](),
	ir.I16:  plain[int16](),
	ir.U16:  plain[uint16](),
	ir.I32:  plain[int32](),
	ir.U32:  plain[uint32](),
	ir.I64:  plain[int64](),
	ir.F16:  {loadWith(halfValue), storeWith(halfBits)},
	ir.BF16: {loadWith(brainValue), storeWith(brainBits)},
	ir.F32:  plain[float32](),
	ir.F64:  plain[float64](),
}

// scalar are the Go types that elements are made of in memory.
type scalar interface {
	int8 | uint8 | int16 | uint16 | int32 | uint32 | int64 | float32 | float64
}

func plain[T scalar]() codec {
	return codec{loadWith(func(v T) float64 { return float64(v) }), storeWith(func(v float64) T { return T(v) })}
}

func loadWith[T scalar](f func(T) float64) func([]float64, []byte) {
	return func(dst []float64, src []byte) {
		for i, v := range view[T](src)[:len(dst)] {
			dst[i] = f(v)
		}
	}
}

func storeWith[T scalar](f func(float64) T) func([]byte, []float64) {
	return func(dst []byte, src []float64) {
		out := view[T](dst)
		for i, v := range src[:len(out)] {
			out[i] = f(v)
		}
	}
}

// view is b seen as elements of T, in the machine's byte order. Memory of devices is aligned to its elements.
func view[T scalar](b []byte) []T {
	if len(b) == 0 {
		return nil
	}
	var t T
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(t)))
}
