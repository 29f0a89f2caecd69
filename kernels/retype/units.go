package retype

import (
	"math"

	"weft/kernels/ir"
)

// Units say which numbers integers of 16 bits in memory stand for. There is no NaN among them, and what is out of their range is cut off.
type Units struct {
	// Scale is the value of one unit: numbers are stored as the nearest multiple, counted from Middle. A power of two keeps the multiples exact.
	Scale float64 `yaml:"scale,omitempty" json:"scale,omitempty"`
	// Roots has the root of a number, 0 or more, stored in its place: n stands for Scale times n^2, so that small numbers keep more digits.
	Roots bool `yaml:"roots,omitempty" json:"roots,omitempty"`
}

// Middle is the U16 that stands for zero, where no roots are stored.
const Middle = 1 << 15

// FullScale are the units of an array whose numbers reach so far.
func FullScale(most float64, roots bool) Units {
	if roots {
		return Units{Scale: most / (math.MaxUint16 * math.MaxUint16), Roots: true}
	}
	return Units{Scale: math.Exp2(math.Ceil(math.Log2(most / Middle)))}
}

// Zero is the integer that stands for 0.
func (u Units) Zero() int64 {
	if u.Roots {
		return 0
	}
	return Middle
}

// Value is the number that an integer stands for.
func (u Units) Value(stored float64) float64 {
	if u.Roots {
		return u.Scale * stored * stored
	}
	return u.Scale * (stored - Middle)
}

// Most is the largest magnitude that an integer can stand for.
func (u Units) Most() float64 {
	if u.Roots {
		return u.Value(math.MaxUint16)
	}
	return u.Scale * Middle
}

// Of is the number that an integer stands for, which is there in a type of floats.
func (u Units) Of(b *ir.Builder, n *ir.Node) *ir.Node {
	c := func(x float64) *ir.Node { return b.Const(n.Type, x) }
	if u.Roots {
		return b.Mul(b.Mul(n, n), c(u.Scale))
	}
	return b.Mul(b.Sub(n, c(Middle)), c(u.Scale))
}

// loaded is the number that a U16 stands for. The bits of a multiple are put where a float32 at 2^23 counts units, which saves a conversion.
func (u Units) loaded(b *ir.Builder, n *ir.Node) *ir.Node {
	if u.Roots {
		return u.Of(b, b.Cast(ir.F32, n))
	}
	const at = 1 << 23
	x := b.Reinterpret(ir.F32, b.Alu(ir.BitOr, n, b.I32(int(math.Float32bits(at)))))
	return b.Sub(b.Mul(x, b.F32(u.Scale)), b.F32((at+Middle)*u.Scale))
}

// stored is the integer that stands for a number, as a float.
func (u Units) stored(b *ir.Builder, v *ir.Node) *ir.Node {
	c := func(x float64) *ir.Node { return b.Const(v.Type, x) }
	v = b.Mul(v, c(1/u.Scale))
	if u.Roots {
		v = b.Sqrt(b.Max(v, c(0)))
	}
	v = b.Add(b.Alu(ir.Rint, v), c(float64(u.Zero())))
	return b.Max(b.Min(v, c(math.MaxUint16)), c(0))
}
