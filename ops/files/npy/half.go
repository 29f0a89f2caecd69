package npy

import "math"

// HalfToFloat32 widens an IEEE 754 binary16 number, exactly. NaN payloads are kept.
func HalfToFloat32(h uint16) float32 {
	sign := uint32(h&0x8000) << 16
	exponent := uint32(h>>10) & 0x1f
	fraction := uint32(h & 0x3ff)
	switch exponent {
	case 0: // zero and subnormals: fraction x 2^-24, exact in float32
		magnitude := float32(fraction) * (1.0 / (1 << 24))
		return math.Float32frombits(sign | math.Float32bits(magnitude))
	case 0x1f:
		return math.Float32frombits(sign | 0x7f800000 | fraction<<13)
	}
	return math.Float32frombits(sign | (exponent+127-15)<<23 | fraction<<13)
}

// Float32ToHalf rounds to the nearest binary16 number, ties to even. Beyond 65504 (by rounding) it is infinite.
func Float32ToHalf(f float32) uint16 { return Float64ToHalf(float64(f)) }

// Float64ToHalf rounds to the nearest binary16 number in one step, ties to even.
func Float64ToHalf(f float64) uint16 {
	const fractionBits, bias = 52, 1023
	b := math.Float64bits(f)
	sign := uint16(b>>48) & 0x8000
	exponent := int(b>>fractionBits)&0x7ff - bias
	fraction := b & (1<<fractionBits - 1)
	switch {
	case exponent == 0x7ff-bias && fraction != 0:
		return sign | 0x7e00 | uint16(fraction>>(fractionBits-10)) // quiet NaN
	case exponent > 15:
		return sign | 0x7c00
	case exponent < -25: // below half of the smallest subnormal
		return sign
	}
	significand := fraction
	drop := fractionBits - 10
	high := uint16(exponent+15) << 10
	if exponent < -14 { // subnormal: the leading one becomes explicit
		significand |= 1 << fractionBits
		drop += -14 - exponent
		high = 0
	}
	kept := significand >> drop
	rest := significand & (1<<drop - 1)
	half := uint64(1) << (drop - 1)
	if rest > half || rest == half && kept&1 == 1 {
		kept++ // a carry runs into the exponent, up to infinity, as it should
	}
	return sign | (high + uint16(kept))
}
