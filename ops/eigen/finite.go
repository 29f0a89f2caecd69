package eigen

import (
	"math"
	"slices"

	"weft/kernels/ir"
	"weft/ops"
	"weft/ops/problem"
)

// unfinite gives the first row of a matrix that holds what is no finite number; as many as there are rows: there is none. It is looked for where a product was
// not finite, which does not say where that comes from.
func unfinite(l *ops.Lowering, a *ops.Stage, as ops.Type) *ops.Stage {
	rows, columns := a.Type.Dims[0].Size, a.Type.Dims[1].Size
	count := l.Stage("odd", ops.Type{Elem: ops.I32, Dims: a.Type.Dims[:1]}, []*ops.Stage{a}, func(b *ops.Body, at []*ir.Node) ops.Elem {
		return ops.Real(b.Fold(ir.FoldSpec{Name: "k", Lo: b.I32(0), Hi: b.I32(columns), Init: []*ir.Node{b.I32(0)}, Monoid: ir.Sum}, func(k *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
			x := a.At(b, at[0], k)
			size := b.Abs(b.Cast(ir.F64, x.Re))
			if x.Im != nil {
				size = b.Add(size, b.Abs(b.Cast(ir.F64, x.Im)))
			}
			fine := b.Lt(size, b.F64(math.Inf(1)))
			return []*ir.Node{b.Add(acc[0], b.Select(fine, b.I32(0), b.I32(1)))}, nil
		})[0])
	})
	return l.Stage("first.odd", as, []*ops.Stage{count}, func(b *ops.Body, _ []*ir.Node) ops.Elem {
		return ops.Real(b.Cast(as.Elem.Base, b.Fold(ir.FoldSpec{Name: "k", Lo: b.I32(0), Hi: b.I32(rows), Init: []*ir.Node{b.I32(rows)}, Monoid: ir.Smallest}, func(k *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
			return []*ir.Node{b.Min(acc[0], b.Select(b.Alu(ir.Eq, count.At(b, k).Re, b.I32(0)), b.I32(rows), k))}, nil
		})[0]))
	})
}

// notFinite says why products are not: look is the call that finds the row, into a single value of the state.
func notFinite(h ops.Host, look, state, rows int) error {
	if err := h.Launch(look); err != nil {
		return err
	}
	row, err := h.Scalar(state)
	switch {
	case err != nil:
		return err
	case row < float64(rows):
		return problem.Wrong(problem.Singular, "input", "", "the matrix has no eigenvalues: there is what is no finite number in row %.0f", row)
	}
	return problem.Wrong(problem.Singular, "input", "multiply it by something small", "products with the matrix are too large for the numbers that they are made in")
}

// finite says whether all are finite numbers.
func finite(values []float64) bool {
	return !slices.ContainsFunc(values, func(v float64) bool { return v != v || math.IsInf(v, 0) })
}

// reachable says that so small a change, or residual, is above rounding to a type, beside values of some size.
func reachable(until float64, base ir.DType, size float64) error {
	least := math.Ldexp(size, -53)
	if base == ir.F32 {
		least = math.Ldexp(size, -24)
	}
	if until > 0 && until < least {
		return problem.Wrong(problem.OutOfBounds, "tolerance", "0 goes on to the last call", "`tolerance` of `eigen` is below what rounding to %s leaves here, %.2g", base, least)
	}
	return nil
}
