package linear

import (
	"math"
	"slices"

	"weft/ops"
)

// Reference factors and substitutes element by element in float64, or eliminates.
func (z *large) Reference(in map[string]ops.Dense) ([]ops.Dense, error) {
	n, a := z.n, make([][]float64, z.n)
	for r := range a {
		a[r] = make([]float64, n)
		for c := range a[r] {
			if from := z.flat(r, c, n); z.does != solveTriangle || z.upper == (c > r) || c == r {
				a[r][c] = in["a"].Re[from]
			}
		}
	}
	if z.does == findRoot || z.does == solveDefinite {
		mirror(a)
	}
	out := ops.NewDense(false, z.Gives[0].Type.Shape()...)
	if z.does == findRoot {
		for c := range n {
			for r := c; r < n; r++ {
				for k := range c {
					a[r][c] -= a[r][k] * a[c][k]
				}
				if r == c {
					a[c][c] = math.Sqrt(a[c][c])
				} else {
					a[r][c] /= a[c][c]
				}
				out.Re[z.flat(r, c, n)] = a[r][c]
			}
		}
		return []ops.Dense{out}, nil
	}
	for side := range out.Re[:len(out.Re)/n] {
		b := make([]float64, n)
		if z.rhs < 0 {
			b[side] = 1
		} else {
			d := in["b"]
			strides := d.Strides()
			rest := slices.Delete(slices.Clone(d.Shape), z.rhs, z.rhs+1)
			others := slices.Delete(slices.Clone(strides), z.rhs, z.rhs+1)
			from, left := 0, side
			for i := len(rest) - 1; i >= 0; i-- {
				from, left = from+left%rest[i]*others[i], left/rest[i]
			}
			for r := range b {
				b[r] = d.Re[from+r*strides[z.rhs]]
			}
		}
		m := make([][]float64, n)
		for r := range m {
			m[r] = slices.Clone(a[r])
		}
		solutionOf(m, b)
		for k, v := range b {
			if z.rhs < 0 && z.does != solveGeneral {
				out.Re[z.flat(side, k, n)] = v
			} else {
				out.Re[side*n+k] = v
			}
		}
	}
	return []ops.Dense{out}, nil
}
