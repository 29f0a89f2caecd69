package linear

import (
	"math"
	"slices"

	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/ops"
	"weft/ops/problem"
)

// unfinite gives the first row of a matrix that holds what is no finite number; as many as there are rows: there is none. It is looked for where a product was
// not finite, which does not say where that comes from.
func unfinite(l *ops.Lowering, a *ops.Stage, as ops.Type) *ops.Stage {
	rows, columns := a.Type.Dims[0].Size, a.Type.Dims[1].Size
	count := l.Stage("odd", ops.Type{Elem: ops.I32, Dims: a.Type.Dims[:1]}, []*ops.Stage{a}, func(b *ops.Body, at []*ir.Node) ops.Elem {
		return ops.Real(b.Fold(ir.FoldSpec{Name: "k", Lo: b.I32(0), Hi: b.I32(columns), Init: []*ir.Node{b.I32(0)}, Monoid: ir.Sum}, func(k *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
			fine := b.Lt(b.Abs(b.Cast(ir.F64, a.At(b, at[0], k).Re)), b.F64(math.Inf(1)))
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
	for _, v := range values {
		if v != v || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}

// reachable says that so small a change, or residual, is above rounding to a type, beside values of some size.
func reachable(until float64, base ir.DType, size float64) error {
	least := math.Ldexp(size, -53)
	if base == ir.F32 {
		least = math.Ldexp(size, -24)
	}
	if until > 0 && until < least {
		return problem.Wrong(problem.OutOfBounds, "until", "0 goes on to the last call", "`until` of `eigen` is below what rounding to %s leaves here, %.2g", base, least)
	}
	return nil
}

// numbers says where a block of a triangle, column by column, holds what is no finite number beside the diagonal.
func (z *large) numbers(block []float64, at region.Interval) error {
	for r := range at.Len() {
		lo, hi := 0, r
		if z.upper {
			lo, hi = r+1, at.Len()
		}
		for c := lo; c < hi; c++ {
			if v := block[c*panel+r]; !finite([]float64{v}) {
				return problem.Wrong(problem.Singular, "a", "", "there is no one solution: the triangle is %g in row %d and column %d", v, at.Lo+r, at.Lo+c)
			}
		}
	}
	return nil
}

// solved looks at some unknowns that were just found. What is no finite number in a row of the triangle is in that unknown of all right sides, and in all that are
// found after it, as whatever it is multiplied by is no number; so one unknown of each panel tells. Of an inverse, whose right sides are finite, one that is not is enough.
func (z *large) solved(h ops.Host, p pass, sides region.Region, at region.Interval) error {
	last := region.Interval{Lo: at.Hi - 1, Hi: at.Hi}
	if p.up {
		last = region.Interval{Lo: at.Lo, Hi: at.Lo + 1}
	}
	number := func(v float64) bool { return finite([]float64{v}) }
	wrong := func(of []float64) bool {
		if z.rhs < 0 {
			return !finite(of)
		}
		return !slices.ContainsFunc(of, number)
	}
	bad := false
	found := ops.StateBox{State: stateX, Box: place(z, p, sides, last)}
	if err := h.Edit(func(of [][]float64) error { bad = wrong(of[0]); return nil }, found); err != nil || !bad {
		return err
	}
	// The product with the inverse of the block spreads it over the panel; what is left of the right sides has it in its place.
	n := at.Len()
	left := ops.StateBox{State: p.panel, Box: append(slices.Clone(sides), region.Interval{Hi: n})}
	return h.Edit(func(of [][]float64) error {
		list := make([]float64, len(of[0])/n)
		for i := range n {
			k := i
			if p.up {
				k = n - 1 - i
			}
			for s := range list {
				list[s] = of[0][s*n+k]
			}
			if wrong(list) {
				return problem.Wrong(problem.Singular, "a", "", "there is no one solution: what row %d of the triangle, or of the right sides, leaves is no finite number", at.Lo+k)
			}
		}
		return problem.Wrong(problem.Singular, "a", "", "there is no one solution: what is found for rows %d to %d is too large a number", at.Lo, at.Hi-1)
	}, left)
}
