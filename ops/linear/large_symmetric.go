package linear

import (
	"math"

	"weft/kernels/ir"
	"weft/ops"
	"weft/ops/problem"
)

// asymmetry is by how much of what its entries make of two vectors a matrix that is said to be symmetric may not be: rounding of float32 leaves less, and one
// entry that is wrong, and no smaller than the others, more where there are fewer than ten thousand rows.
const asymmetry = 1e-4

// products gives what a matrix makes of two vectors that it has nothing to do with, from one side and from the other, u A v and v A u, which are one number where it is
// symmetric; and the root of the sum of the squares of all that is added up for one. Rows of it go by.
func (z *large) products(l *ops.Lowering, a, into *ops.Stage) *ops.Stage {
	n := z.n
	rows := ops.Type{Elem: ops.F64, Dims: z.a.Dims[:1]}
	sum := func(b *ops.Body, term func(k *ir.Node) *ir.Node) *ir.Node {
		return b.Fold(ir.FoldSpec{Name: "k", Lo: b.I32(0), Hi: b.I32(n), Init: []*ir.Node{b.F64(0)}, Monoid: ir.Sum}, func(k *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
			return []*ir.Node{b.Add(acc[0], term(k))}, nil
		})[0]
	}
	vector := func(name string, step float64) *ops.Stage {
		return l.Stage(name, rows, nil, func(b *ops.Body, at []*ir.Node) ops.Elem {
			x := b.Mul(b.Cast(ir.F64, b.Add(at[0], b.I32(1))), b.F64(step))
			return ops.Real(b.Sub(b.Sub(x, b.Alu(ir.Floor, x)), b.F64(0.5)))
		})
	}
	u, v := vector("some", math.Phi-1), vector("others", math.Sqrt2-1)
	made := func(name string, one, other *ops.Stage, term func(b *ops.Body, x *ir.Node) *ir.Node) *ops.Stage {
		return l.Stage(name, rows, []*ops.Stage{a, one, other}, func(b *ops.Body, at []*ir.Node) ops.Elem {
			first := one.At(b, at[0]).Re
			return ops.Real(sum(b, func(k *ir.Node) *ir.Node {
				return term(b, b.Mul(first, b.Mul(b.Cast(ir.F64, a.At(b, at[0], k).Re), other.At(b, k).Re)))
			}))
		})
	}
	plain := func(_ *ops.Body, x *ir.Node) *ir.Node { return x }
	parts := []*ops.Stage{made("from.left", u, v, plain), made("from.right", v, u, plain), made("squares", u, v, func(b *ops.Body, x *ir.Node) *ir.Node { return b.Mul(x, x) })}
	return l.Stage("both.ways", into.Type, parts, func(b *ops.Body, at []*ir.Node) ops.Elem {
		total := func(i int) *ir.Node { return sum(b, func(k *ir.Node) *ir.Node { return parts[i].At(b, k).Re }) }
		size := b.Sqrt(total(2))
		return ops.Real(b.Select(b.Alu(ir.Eq, at[0], b.I32(0)), total(0), b.Select(b.Alu(ir.Eq, at[0], b.I32(1)), total(1), size)))
	})
}

// symmetric looks whether the matrix is: of one that is not, the root of its lower triangle would be that of another matrix.
func (z *large) symmetric(h ops.Host) error {
	if err := h.Launch(callSymmetric); err != nil {
		return err
	}
	of, err := h.Values(stateBothWays)
	if err != nil {
		return err
	}
	if apart := math.Abs(of[0] - of[1]); apart > asymmetry*of[2] {
		return problem.Wrong(problem.CannotHonour, "symmetric", "add it to its transpose, or leave `symmetric` out", "the matrix is not symmetric: with two vectors from its two sides it makes %.6g, and %.6g with these the other way round", of[0], of[1])
	}
	return nil
}
