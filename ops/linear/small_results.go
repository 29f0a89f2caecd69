package linear

import (
	"math"
	"slices"

	"weft/kernels/ir"
	"weft/ops"
)

// result is what is wanted of a matrix: as nodes of a kernel and, from the definition, as a number. In kernels a row of the matrix ends with its
// right side, where there is one. The indices are those of the element of a solution or a triangle.
type result struct {
	name      string
	symmetric bool // only the lower triangle is read
	build     func(b *ops.Body, m [][]*ir.Node, index []*ir.Node) *ir.Node
	value     func(m [][]float64, b []float64, index []int) float64
	pivots    func(b *ops.Body, m [][]*ir.Node) []*ir.Node // what it divides by, or takes roots of, one after the other
}

var elimination = &result{
	name: "solve",
	pivots: func(b *ops.Body, m [][]*ir.Node) []*ir.Node {
		eliminate(b, m)
		return diagonal(b, m)
	},
	build: func(b *ops.Body, m [][]*ir.Node, index []*ir.Node) *ir.Node {
		return chosen(b, eliminate(b, m), index[0])
	},
	value: func(m [][]float64, b []float64, index []int) float64 {
		solutionOf(m, b)
		return b[index[0]]
	},
}

var definite = &result{
	name: "solve", symmetric: true, pivots: rooted,
	build: func(b *ops.Body, m [][]*ir.Node, index []*ir.Node) *ir.Node {
		rooted(b, m)
		x := make([]*ir.Node, len(m))
		for k := range slices.Backward(m) {
			x[k] = m[k][k+1]
			for q := k + 1; q < len(m); q++ {
				x[k] = b.Sub(x[k], b.Mul(m[q][k], x[q]))
			}
			x[k] = b.Mul(x[k], m[k][k])
		}
		return chosen(b, x, index[0])
	},
	value: func(m [][]float64, b []float64, index []int) float64 {
		mirror(m)
		return elimination.value(m, b, index)
	},
}

var forward, backward = byTriangle(false), byTriangle(true)

// byTriangle are solutions by a lower or an upper triangle.
func byTriangle(upper bool) *result {
	order := func(n int) (out []int) {
		for k := range n {
			out = append(out, k)
		}
		if upper {
			slices.Reverse(out)
		}
		return out
	}
	return &result{
		name: "solve", pivots: diagonal,
		build: func(b *ops.Body, m [][]*ir.Node, index []*ir.Node) *ir.Node {
			x, of := make([]*ir.Node, len(m)), order(len(m))
			for i, k := range of {
				x[k] = m[k][len(m)]
				for _, q := range of[:i] {
					x[k] = b.Sub(x[k], b.Mul(m[k][q], x[q]))
				}
				x[k] = b.Div(x[k], m[k][k])
			}
			return chosen(b, x, index[0])
		},
		value: func(m [][]float64, b []float64, index []int) float64 {
			of := order(len(m))
			for i, k := range of {
				for _, q := range of[i+1:] {
					m[k][q] = 0
				}
			}
			return elimination.value(m, b, index)
		},
	}
}

var marginal = &result{
	name: "marginal", symmetric: true, pivots: rooted,
	build: func(b *ops.Body, m [][]*ir.Node, _ []*ir.Node) *ir.Node {
		var x *ir.Node
		for k, square := range rooted(b, m) {
			y := m[k][k+1]
			if v := b.Sub(b.Alu(ir.Log, square), b.Mul(y, y)); x == nil {
				x = v
			} else {
				x = b.Add(x, v)
			}
		}
		return x
	},
	value: func(m [][]float64, b []float64, _ []int) float64 {
		mirror(m)
		rights := slices.Clone(b)
		x := math.Log(math.Abs(solutionOf(m, b)))
		for k, v := range rights {
			x -= v * b[k]
		}
		return x
	},
}

var triangular = &result{
	name: "cholesky", symmetric: true, pivots: rooted,
	build: func(b *ops.Body, m [][]*ir.Node, index []*ir.Node) *ir.Node {
		of := make([]*ir.Node, len(m))
		for p, square := range rooted(b, m) {
			row := slices.Repeat([]*ir.Node{b.F64(0)}, len(m))
			copy(row, m[p])
			row[p] = b.Sqrt(square)
			of[p] = chosen(b, row, index[1])
		}
		return chosen(b, of, index[0])
	},
	value: func(m [][]float64, _ []float64, index []int) float64 {
		for p := range m {
			for q := range p + 1 {
				for k := range q {
					m[p][q] -= m[p][k] * m[q][k]
				}
				if p == q {
					m[p][p] = math.Sqrt(m[p][p])
				} else {
					m[p][q] /= m[q][q]
				}
			}
			clear(m[p][p+1:])
		}
		return m[index[0]][index[1]]
	},
}

// diagonal is that of a matrix.
func diagonal(_ *ops.Body, m [][]*ir.Node) (out []*ir.Node) {
	for k := range m {
		out = append(out, m[k][k])
	}
	return out
}

// mirror writes the lower triangle over the upper.
func mirror(m [][]float64) {
	for p := range m {
		for q := range p {
			m[q][p] = m[p][q]
		}
	}
}

// chosen is one of a few values.
func chosen(b *ops.Body, of []*ir.Node, i *ir.Node) *ir.Node {
	x := of[0]
	for k, v := range of[1:] {
		x = b.Select(b.Lt(b.I32(k), i), v, x)
	}
	return x
}

// eliminate solves equations, each a row of coefficients and its right side; without right sides, it leaves their triangle.
func eliminate(b *ops.Body, m [][]*ir.Node) []*ir.Node {
	n := len(m)
	for k := range n {
		for p := k + 1; p < n; p++ { // the largest comes in front
			larger := b.Lt(b.Abs(m[k][k]), b.Abs(m[p][k]))
			for q := k; q < len(m[k]); q++ {
				m[k][q], m[p][q] = b.Select(larger, m[p][q], m[k][q]), b.Select(larger, m[k][q], m[p][q])
			}
		}
		for p := k + 1; p < n; p++ {
			f := b.Div(m[p][k], m[k][k])
			for q := k + 1; q < len(m[k]); q++ {
				m[p][q] = b.Sub(m[p][q], b.Mul(f, m[k][q]))
			}
		}
	}
	if n == len(m[0]) {
		return nil
	}
	x := make([]*ir.Node, n)
	for k := range slices.Backward(m) {
		x[k] = m[k][n]
		for q := k + 1; q < n; q++ {
			x[k] = b.Sub(x[k], b.Mul(m[k][q], x[q]))
		}
		x[k] = b.Div(x[k], m[k][k])
	}
	return x
}

// rooted puts the triangular root of a matrix, of which the lower triangle is given, in its place, with one over the diagonal in place of that,
// and gives the squares of the diagonal. A right side is divided by the root.
func rooted(b *ops.Body, m [][]*ir.Node) (squares []*ir.Node) {
	for p, row := range m {
		for q, v := range row {
			other := m[min(q, p)]
			for k := range min(q, p) {
				x := other[k]
				if q > p {
					x = m[k][k+1]
				}
				v = b.Sub(v, b.Mul(row[k], x))
			}
			if q == p {
				squares = append(squares, v)
				row[p] = b.Div(b.F64(1), b.Sqrt(v))
			} else {
				row[q] = b.Mul(v, other[min(q, p)])
			}
		}
	}
	return squares
}

// solutionOf puts the solution in place of b, by Gauss and Jordan: each column is cleared above and below. It gives the determinant, but for
// its sign.
func solutionOf(m [][]float64, b []float64) float64 {
	det := 1.0
	for k := range m {
		best := k
		for p := k + 1; p < len(m); p++ {
			if math.Abs(m[p][k]) > math.Abs(m[best][k]) {
				best = p
			}
		}
		m[k], m[best], b[k], b[best] = m[best], m[k], b[best], b[k]
		for p := range m {
			if p == k {
				continue
			}
			f := m[p][k] / m[k][k]
			for q := range m {
				m[p][q] -= f * m[k][q]
			}
			b[p] -= f * b[k]
		}
	}
	for k := range b {
		b[k] /= m[k][k]
		det *= m[k][k]
	}
	return det
}
