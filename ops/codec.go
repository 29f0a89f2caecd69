package ops

import (
	"weft/kernels/device"
	"weft/kernels/ir"
)

// codec converts between elements of one storage type and float64. Integers beyond 2^53 round.
type codec struct {
	load  func(dst []float64, src []byte)
	store func(dst []byte, src []float64)
}

var codecs = [...]codec{
	ir.Bool: {loadWith(ir.Bool, func(b uint8) float64 { return float64(min(b, 1)) }), storeWith(ir.Bool, func(v float64) uint8 {
		if v != 0 {
			return 1
		}
		return 0
	})},
	ir.I8:   plain[int8](ir.I8),
	ir.U8:   plain[uint8](ir.U8),
	ir.I16:  plain[int16](ir.I16),
	ir.U16:  plain[uint16](ir.U16),
	ir.I32:  plain[int32](ir.I32),
	ir.U32:  plain[uint32](ir.U32),
	ir.I64:  plain[int64](ir.I64),
	ir.F16:  small(ir.F16, device.FloatFromHalf, device.HalfFromFloat),
	ir.BF16: small(ir.BF16, device.FloatFromBrain, device.BrainFromFloat),
	ir.F32:  plain[float32](ir.F32),
	ir.F64:  plain[float64](ir.F64),
}

// Encode narrows float64 values to the bytes of a storage type: floats round to nearest even, integers must fit.
func Encode(t ir.DType, dst []byte, src []float64) { codecs[t].store(dst, src) }

func plain[T device.Element](t ir.DType) codec {
	return codec{loadWith(t, func(v T) float64 { return float64(v) }), storeWith(t, func(v float64) T { return T(v) })}
}

func small(t ir.DType, decode func(uint16) float32, encode func(float64) uint16) codec {
	return codec{loadWith(t, func(v uint16) float64 { return float64(decode(v)) }), storeWith(t, encode)}
}

func loadWith[T device.Element](t ir.DType, f func(T) float64) func([]float64, []byte) {
	return func(dst []float64, src []byte) {
		for i, v := range device.View[T](src, t)[:len(dst)] {
			dst[i] = f(v)
		}
	}
}

func storeWith[T device.Element](t ir.DType, f func(float64) T) func([]byte, []float64) {
	return func(dst []byte, src []float64) {
		out := device.View[T](dst, t)
		for i, v := range src[:len(out)] {
			out[i] = f(v)
		}
	}
}
