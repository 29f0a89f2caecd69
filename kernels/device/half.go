package device

import "math"

// smallFloat is an IEEE-like 16-bit format: a sign, exponent bits, then fraction bits.
type smallFloat struct{ fraction, bias int }

var (
	half  = smallFloat{10, 15} // IEEE 754 binary16
	brain = smallFloat{7, 127} // bfloat16, the upper half of a float32
)

// encode rounds to nearest, ties to even; too large values become infinite. A NaN keeps its sign only.
func (f smallFloat) encode(v float64) uint16 {
	const wide, wideBias = 52, 1023
	b := math.Float64bits(v)
	sign := uint16(b>>48) & 0x8000
	infinite := uint16((2*f.bias + 1) << f.fraction)
	exponent, least := int(b>>wide)&0x7ff-wideBias, 1-f.bias
	switch {
	case v != v:
		return sign | infinite | 1<<(f.fraction-1)
	case exponent > f.bias:
		return sign | infinite
	case exponent < least-f.fraction-1: // below half of the smallest subnormal
		return sign
	}
	significand, drop, high := b&(1<<wide-1), wide-f.fraction, uint16(exponent+f.bias)<<f.fraction
	if exponent < least { // subnormal: the leading one becomes explicit
		significand |= 1 << wide
		drop += least - exponent
		high = 0
	}
	kept, rest, half := significand>>drop, significand&(1<<drop-1), uint64(1)<<(drop-1)
	if rest > half || rest == half && kept&1 == 1 {
		kept++ // a carry runs into the exponent, up to infinity, as it should
	}
	return sign | (high + uint16(kept))
}

// HalfFromFloat rounds a float64 to the nearest IEEE half, ties to even.
func HalfFromFloat(v float64) uint16 { return half.encode(v) }

// BrainFromFloat rounds a float64 to the nearest bfloat16, ties to even.
func BrainFromFloat(v float64) uint16 { return brain.encode(v) }

// FloatFromHalf is the value of an IEEE half.
func FloatFromHalf(h uint16) float32 {
	sign := uint32(h&0x8000) << 16
	bits := uint32(h&0x7fff) << 13
	if h&0x7c00 == 0x7c00 {
		return math.Float32frombits(sign | bits | 0x7f800000)
	}
	// Read as a float32, the exponent is 127-15 too small; multiplication repairs it, also for subnormal halves.
	return math.Float32frombits(sign | math.Float32bits(math.Float32frombits(bits)*0x1p112))
}

// FloatFromBrain is the value of a bfloat16.
func FloatFromBrain(h uint16) float32 { return math.Float32frombits(uint32(h) << 16) }
