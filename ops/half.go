package ops

import "math"

// halfBits rounds to the nearest IEEE 754 binary16, ties to even; beyond its range to infinity.
func halfBits(v float64) uint16 {
	sign := uint16(math.Float64bits(v)>>48) & 0x8000
	a := math.Abs(v)
	switch {
	case v != v:
		return sign | 0x7e00
	case a >= 65520:
		return sign | 0x7c00
	case a < 0x1p-14: // subnormal: a count of 2^-24
		return sign | uint16(math.RoundToEven(a*0x1p24))
	}
	_, e := math.Frexp(a) // a = f * 2^e, f in [0.5, 1)
	m := math.RoundToEven(math.Ldexp(a, 11-e))
	return sign | (uint16(e+14)<<10 + uint16(m) - 1024) // a carry of m runs into the exponent, as it should
}

// halfValue widens a binary16, exactly.
func halfValue(h uint16) float64 {
	e, m := int(h>>10)&31, float64(h&1023)
	var v float64
	switch {
	case e == 31 && m != 0:
		return math.NaN()
	case e == 31:
		v = math.Inf(1)
	case e == 0:
		v = m * 0x1p-24
	default:
		v = math.Ldexp(1024+m, e-25)
	}
	if h&0x8000 != 0 {
		return -v
	}
	return v
}

// brainBits rounds to the nearest bfloat16 (the upper half of a binary32), ties to even, in two roundings of which the
// first is to odd, so that together they round once.
func brainBits(v float64) uint16 {
	if v != v {
		return 0x7fc0
	}
	f := float32(v)
	b := math.Float32bits(f)
	if float64(f) != v && !math.IsInf(float64(f), 0) { // to odd: truncate, then set the last bit
		if math.Abs(float64(f)) > math.Abs(v) {
			b--
		}
		b |= 1
	}
	return uint16((b + 0x7fff + b>>16&1) >> 16)
}

// brainValue widens a bfloat16, exactly.
func brainValue(h uint16) float64 { return float64(math.Float32frombits(uint32(h) << 16)) }
