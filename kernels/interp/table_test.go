package interp

import (
	"math"
	"testing"

	"weft/kernels/ir"
)

// TestInstructionsAreTheTable: what instructions do is what the rows of the table of operations say, in float64 and in 64-bit integers.
func TestInstructionsAreTheTable(t *testing.T) {
	floats := []float64{0, math.Copysign(0, -1), 1, -1, 2.5, -2.5, 1e300, 0x1p-1060, math.Inf(1), math.NaN()}
	ints := []int64{0, 1, -1, 7, -7, 63, math.MaxInt64, math.MinInt64}
	for op := range ir.Ops {
		info := op.Info()
		if info.Gives == ir.Other || op == ir.Select {
			continue
		}
		check := func(typ ir.DType, n int, value func(i int) Value, want func(i, j int) Value) {
			b := ir.NewBuilder()
			args := []*ir.Node{b.Arg(typ, "x"), b.Arg(typ, "y")}[:info.Arity]
			node := b.Alu(op, args...)
			for i := range n {
				for j := range n {
					got := Apply(node, []Value{value(i), value(j)}[:info.Arity])
					if w := want(i, j); got.I != w.I || math.Float64bits(got.F) != math.Float64bits(w.F) && (got.F == got.F || w.F == w.F) {
						t.Errorf("%s of %v and %v is %v, the table has %v", op, value(i), value(j), got, w)
					}
				}
			}
		}
		if info.Takes.Has(ir.F64) {
			check(ir.F64, len(floats), func(i int) Value { return Value{F: floats[i]} }, func(i, j int) Value {
				v := info.Float([3]float64{floats[i], floats[j]})
				if info.Gives == ir.Truth {
					return Value{I: int64(v)}
				}
				return Value{F: v}
			})
		}
		if info.Takes.Has(ir.I64) {
			check(ir.I64, len(ints), func(i int) Value { return Value{I: ints[i]} }, func(i, j int) Value { return Value{I: info.Int([3]int64{ints[i], ints[j]})} })
		}
		if info.Takes.Has(ir.Bool) {
			check(ir.Bool, 2, func(i int) Value { return Value{I: int64(i)} }, func(i, j int) Value { return Value{I: info.Int([3]int64{int64(i), int64(j)})} })
		}
	}
}

// A product halfway between two float32 is rounded by what is added to it, however little that is.
func TestFusedRoundsOnce(t *testing.T) {
	const x = 1 + 0x1p-12 // x*x = 1 + 2^-11 + 2^-24
	for c, want := range map[float64]float64{0x1p-80: 1 + 0x1p-11 + 0x1p-23, -0x1p-80: 1 + 0x1p-11, 0: 1 + 0x1p-11} {
		if got := fused32(x, x, c); got != want {
			t.Errorf("%v*%v%+v is %v, want %v", x, x, c, got, want)
		}
	}
}
