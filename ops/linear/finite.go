package linear

import (
	"math"
	"slices"

	"weft/kernels/region"
	"weft/ops"
	"weft/ops/problem"
)

// finite says whether all are finite numbers.
func finite(values []float64) bool {
	for _, v := range values {
		if v != v || math.IsInf(v, 0) {
			return false
		}
	}
	return true
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
