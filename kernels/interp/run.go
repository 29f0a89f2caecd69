package interp

import (
	"math"

	"weft/kernels/ir"
)

// run executes code; false means that m.err says why it stopped.
func (m *machine) run(code []instruction) bool {
	f, i := &m.f, &m.i
	for k := range code {
		in := &code[k]
		switch in.op {
		case loadF:
			if !m.loadF(in) {
				return false
			}
		case loadI:
			if !m.loadI(in) {
				return false
			}
		case put:
			if !m.store(&m.program.puts[in.a]) {
				return false
			}
		case fold:
			if !m.loop(&m.program.folds[in.a]) {
				return false
			}
		case movF:
			f[in.d] = f[in.a]
		case movI:
			i[in.d] = i[in.a]

		// Rounding a float64 sum, product, quotient or root of float32 to float32 is the same as rounding once.
		case addF64:
			f[in.d] = f[in.a] + f[in.b]
		case addF32:
			f[in.d] = float64(float32(f[in.a] + f[in.b]))
		case addI64:
			i[in.d] = i[in.a] + i[in.b]
		case addI32:
			i[in.d] = int64(int32(i[in.a] + i[in.b]))
		case addHeld:
			i[in.d] = heldAdd(i[in.a], i[in.b])
		case subF64:
			f[in.d] = f[in.a] - f[in.b]
		case subF32:
			f[in.d] = float64(float32(f[in.a] - f[in.b]))
		case subI64:
			i[in.d] = i[in.a] - i[in.b]
		case subI32:
			i[in.d] = int64(int32(i[in.a] - i[in.b]))
		case subHeld:
			i[in.d] = heldSub(i[in.a], i[in.b])
		case mulF64:
			f[in.d] = f[in.a] * f[in.b]
		case mulF32:
			f[in.d] = float64(float32(f[in.a] * f[in.b]))
		case mulI64:
			i[in.d] = i[in.a] * i[in.b]
		case mulI32:
			i[in.d] = int64(int32(i[in.a] * i[in.b]))
		case mulHeld:
			i[in.d] = heldMul(i[in.a], i[in.b])
		case mulAddF64:
			f[in.d] = math.FMA(f[in.a], f[in.b], f[in.c])
		case mulAddF32:
			f[in.d] = fused32(f[in.a], f[in.b], f[in.c])
		case mulSubF64:
			f[in.d] = math.FMA(f[in.a], f[in.b], -f[in.c])
		case mulSubF32:
			f[in.d] = fused32(f[in.a], f[in.b], -f[in.c])
		case subMulF64:
			f[in.d] = math.FMA(-f[in.a], f[in.b], f[in.c])
		case subMulF32:
			f[in.d] = fused32(-f[in.a], f[in.b], f[in.c])
		case divF64:
			f[in.d] = f[in.a] / f[in.b]
		case divF32:
			f[in.d] = float64(float32(f[in.a] / f[in.b]))
		case divI64:
			i[in.d] = ir.FloorDiv(i[in.a], i[in.b])
		case divI32:
			i[in.d] = int64(int32(ir.FloorDiv(i[in.a], i[in.b])))
		case modI64:
			i[in.d] = ir.FloorMod(i[in.a], i[in.b])
		case modI32:
			i[in.d] = int64(int32(ir.FloorMod(i[in.a], i[in.b])))
		case negF:
			f[in.d] = -f[in.a]
		case negI64:
			i[in.d] = -i[in.a]
		case negI32:
			i[in.d] = int64(int32(-i[in.a]))
		case absF:
			f[in.d] = math.Abs(f[in.a])
		case absI64:
			i[in.d] = max(i[in.a], -i[in.a])
		case absI32:
			i[in.d] = int64(int32(max(i[in.a], -i[in.a])))
		case minF:
			x, y := f[in.a], f[in.b]
			if x < y {
				y = x
			}
			f[in.d] = y
		case minI:
			i[in.d] = min(i[in.a], i[in.b])
		case maxF:
			x, y := f[in.a], f[in.b]
			if x > y {
				y = x
			}
			f[in.d] = y
		case maxI:
			i[in.d] = max(i[in.a], i[in.b])
		case ltF:
			i[in.d] = truth(f[in.a] < f[in.b])
		case ltI:
			i[in.d] = truth(i[in.a] < i[in.b])
		case leF:
			i[in.d] = truth(f[in.a] <= f[in.b])
		case leI:
			i[in.d] = truth(i[in.a] <= i[in.b])
		case eqF:
			i[in.d] = truth(f[in.a] == f[in.b])
		case eqI:
			i[in.d] = truth(i[in.a] == i[in.b])
		case neF:
			i[in.d] = truth(f[in.a] != f[in.b])
		case neI:
			i[in.d] = truth(i[in.a] != i[in.b])
		case andB, bitAndI64:
			i[in.d] = i[in.a] & i[in.b]
		case orB, bitOrI64:
			i[in.d] = i[in.a] | i[in.b]
		case notB:
			i[in.d] = i[in.a] ^ 1
		case bitXorI64:
			i[in.d] = i[in.a] ^ i[in.b]
		case bitAndI32:
			i[in.d] = int64(int32(i[in.a] & i[in.b]))
		case bitOrI32:
			i[in.d] = int64(int32(i[in.a] | i[in.b]))
		case bitXorI32:
			i[in.d] = int64(int32(i[in.a] ^ i[in.b]))
		case shlI64:
			i[in.d] = i[in.a] << (i[in.b] & 63)
		case shlI32:
			i[in.d] = int64(int32(i[in.a]) << (i[in.b] & 31))
		case shrI64:
			i[in.d] = i[in.a] >> (i[in.b] & 63)
		case shrI32:
			i[in.d] = int64(int32(i[in.a]) >> (i[in.b] & 31))
		case ushrI64:
			i[in.d] = int64(uint64(i[in.a]) >> (i[in.b] & 63))
		case ushrI32:
			i[in.d] = int64(int32(uint32(i[in.a]) >> (i[in.b] & 31)))
		case selectF:
			v := f[in.c]
			if i[in.a] != 0 {
				v = f[in.b]
			}
			f[in.d] = v
		case selectI:
			v := i[in.c]
			if i[in.a] != 0 {
				v = i[in.b]
			}
			i[in.d] = v
		case sqrtF64:
			f[in.d] = math.Sqrt(f[in.a])
		case sqrtF32:
			f[in.d] = float64(float32(math.Sqrt(f[in.a])))
		case rintF:
			f[in.d] = math.RoundToEven(f[in.a])
		case floorF:
			f[in.d] = math.Floor(f[in.a])
		case ceilF:
			f[in.d] = math.Ceil(f[in.a])
		case truncF:
			f[in.d] = math.Trunc(f[in.a])
		case callF64:
			f[in.d] = ir.Op(in.c).Info().Float([3]float64{f[in.a], f[in.b]})
		case callF32:
			f[in.d] = float64(float32(ir.Op(in.c).Info().Float([3]float64{f[in.a], f[in.b]})))
		case roundF32:
			f[in.d] = float64(float32(f[in.a]))
		case wrapI32:
			i[in.d] = int64(int32(i[in.a]))
		case floatI64:
			f[in.d] = float64(i[in.a])
		case floatI32:
			f[in.d] = float64(float32(i[in.a]))
		case truncI64:
			i[in.d] = toInt(f[in.a], math.MinInt64, math.MaxInt64)
		case truncI32:
			i[in.d] = toInt(f[in.a], math.MinInt32, math.MaxInt32)
		case boolF:
			i[in.d] = truth(f[in.a] != 0)
		case boolI:
			i[in.d] = truth(i[in.a] != 0)
		case bitsF64:
			i[in.d] = int64(math.Float64bits(f[in.a]))
		case bitsF32:
			i[in.d] = int64(int32(math.Float32bits(float32(f[in.a]))))
		case fromBitsF64:
			f[in.d] = math.Float64frombits(uint64(i[in.a]))
		case fromBitsF32:
			f[in.d] = float64(math.Float32frombits(uint32(i[in.a])))
		default:
			panic("interp: unknown instruction")
		}
	}
	return true
}

// loop runs a fold.
func (m *machine) loop(l *loop) bool {
	if !m.run(l.init) {
		return false
	}
	hi := m.i[l.hi]
	for n := m.i[l.lo]; n < hi; n++ {
		m.i[l.index] = n
		if l.guarded {
			if !m.run(l.while) {
				return false
			}
			if m.i[l.cond] == 0 {
				return true
			}
		}
		if !m.run(l.body) {
			return false
		}
		if l.settles != nil && m.done(l) {
			return true
		}
	}
	return true
}

// done reports whether all accumulators of a fold have what they end with.
func (m *machine) done(l *loop) bool {
	for _, r := range l.settles {
		if m.i[r] != l.settled {
			return false
		}
	}
	return true
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// fused32 is a*b+c of float32 values, rounded to float32 once. The product is exact in float64; a sum that is not becomes the odd one of
// its neighbours, which rounds as the exact one does.
func fused32(a, b, c float64) float64 {
	p := float64(a * b)
	s := p + c
	of := s - p
	rest := (p - (s - of)) + (c - of)
	if math.Float64bits(s)&1 == 0 && (rest < 0 || rest > 0) {
		s = math.Nextafter(s, math.Copysign(math.Inf(1), rest))
	}
	return float64(float32(s))
}

// toInt truncates. What the language leaves open is the nearest end of the range, and 0 for NaN.
func toInt(v float64, lo, hi int64) int64 {
	switch {
	case v != v:
		return 0
	case v <= float64(lo):
		return lo
	case v >= float64(hi):
		return hi
	}
	return int64(v)
}
