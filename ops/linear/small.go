package linear

import (
	"errors"
	"math"
	"slices"

	"weft/kernels/ir"
	"weft/ops"
	"weft/ops/operand"
	"weft/ops/problem"
)

// mostSmall bounds the matrices whose steps are all written out in a kernel.
const mostSmall = 8

func smallSpecs() []*ops.Spec {
	matrix := ops.In("a", "square matrices: real")
	rows := ops.Param{Name: "rows", Doc: "their first dimension", Accept: ops.KSymbol}
	columns := ops.Param{Name: "columns", Doc: "their other one", Accept: ops.KSymbol}
	made := "i = axis(i, 0 .. 2 in 3)\nj = axis(j, 0 .. 2 in 3)\na = where(i == j, 4, 1 / (1 + i + j))\n"
	rule := ops.ErrorRule{Metric: ops.Peak, Tolerance: 1e-5}
	return []*ops.Spec{
		{
			Name: "solve", Doc: "Solutions of small systems of linear equations.", Group: "linear algebra", Error: rule,
			Long: "x where sum(a * x, over: columns) is b, for each element of the other dimensions by itself: elimination with the largest of a column in " +
				"front, in float64, in the kernel that uses it. At most 8 equations. Where there is no one solution, x is not finite.",
			Returns:  "an array over the other dimensions of both, joined by name, then columns.",
			Params:   []ops.Param{matrix, ops.In("b", "right sides, over rows: real"), rows, columns},
			Examples: []ops.Example{{Title: "Three equations", Code: made + "x = solve(a, i, rows: i, columns: j)\nshow(x)\nshow(sum(a * x, over: j))"}},
			Bind:     bindSolve,
		},
		{
			Name: "cholesky", Doc: "Triangular roots of small symmetric matrices.", Group: "linear algebra", Error: rule,
			Long: "The lower triangle l where sum(l * rename(l, from: rows, to: other), over: columns) is a, for each element of the other dimensions by itself, in " +
				"float64. Only the lower triangle of a is read. At most 8 rows. NaN where a is not positive definite.",
			Returns:  "an array like a.",
			Params:   []ops.Param{matrix, rows, columns},
			Examples: []ops.Example{{Title: "Of three rows", Code: made + "show(cholesky(a, rows: i, columns: j))"}},
			Bind:     bindCholesky,
		},
	}
}

// small is what is made of small matrices, element by element of the other dims.
type small struct {
	n, row, column int // the extent, and the two dims of a
	xs             []operand.Operand
	out            ops.Type
	lower          bool // the triangle, not the solution
	rhs            int  // the dim of b that is that of rows
}

// square finds the matrix among the dims of a.
func square(c *ops.Call, name string) (*small, error) {
	t := c.Type("a")
	s := &small{row: t.Dim(c.Symbol("rows")), column: t.Dim(c.Symbol("columns"))}
	var errs []error
	for arg, d := range map[string]int{"rows": s.row, "columns": s.column} {
		if d < 0 {
			errs = append(errs, operand.UnknownDim(arg, c.Symbol(arg), t))
		}
	}
	switch {
	case len(errs) > 0:
	case s.row == s.column:
		errs = append(errs, problem.Wrong(problem.DuplicateDim, "columns", "name the other one", "rows and columns are both %s", c.Symbol("rows")))
	case t.Dims[s.row].Size != t.Dims[s.column].Size:
		errs = append(errs, problem.Wrong(problem.WrongDims, "a", "", "`%s` needs square matrices, and these are %d by %d", name, t.Dims[s.row].Size, t.Dims[s.column].Size))
	case t.Dims[s.row].Size > mostSmall:
		errs = append(errs, problem.Wrong(problem.OutOfBounds, "a", "use eigen, or iterate over products", "`%s` is for at most %d rows, and these are %d", name, mostSmall, t.Dims[s.row].Size))
	}
	if t.Elem.Complex || t.Elem.Base == ir.Bool {
		errs = append(errs, problem.Wrong(problem.WrongElementType, "a", "", "`%s` needs real numbers, and this is %s", name, t))
	}
	if errors.Join(errs...) != nil {
		return nil, errors.Join(errs...)
	}
	s.n = t.Dims[s.row].Size
	t.Dims = operand.Without(t.Dims, []int{s.row, s.column})
	a := operand.New("a", c.Args["a"])
	a.Type = t
	s.xs = []operand.Operand{a}
	s.out.Elem = ops.ElemType{Base: ops.Inexact(t.Elem.Widen().Base)}
	return s, nil
}

func bindSolve(c *ops.Call) (ops.Op, error) {
	s, err := square(c, "solve")
	if err != nil {
		return nil, err
	}
	a, b := c.Type("a"), operand.New("b", c.Args["b"])
	s.rhs = b.Type.Dim(c.Symbol("rows"))
	column := a.Dims[s.column]
	switch {
	case s.rhs < 0:
		return nil, operand.UnknownDim("b", c.Symbol("rows"), b.Type)
	case b.Type.Dims[s.rhs].Size != s.n:
		return nil, problem.Wrong(problem.WrongDims, "b", "", "`solve` needs a right side for each row: there are %d rows, and this is %s", s.n, b.Type)
	case b.Type.Elem.Complex || b.Type.Elem.Base == ir.Bool:
		return nil, problem.Wrong(problem.WrongElementType, "b", "", "`solve` needs real numbers, and this is %s", b.Type)
	case b.Type.Dim(column.Name) >= 0:
		return nil, problem.Wrong(problem.DuplicateDim, "b", "rename it", "right sides have no dimension %s, which is that of the solutions", column.Name)
	}
	unit := b.Type.Unit.Times(a.Unit.Power(-1))
	s.out.Elem.Base = ops.Inexact(ops.Promote(a.Elem, b.Type.Elem).Base)
	b.Type.Dims = operand.Without(b.Type.Dims, []int{s.rhs})
	s.xs = append(s.xs, b)
	dims, err := operand.Broadcast("solve", s.xs)
	s.out.Dims, s.out.Unit = append(dims, column), unit
	return s, err
}

func bindCholesky(c *ops.Call) (ops.Op, error) {
	s, err := square(c, "cholesky")
	if err != nil {
		return nil, err
	}
	t := c.Type("a")
	root, even := t.Unit.Root()
	if !even {
		return nil, problem.Wrong(problem.UnitMismatch, "a", "divide by a unit first", "there is no root of %s", t.Unit)
	}
	s.lower, s.out.Dims, s.out.Unit = true, t.Dims, root
	for d := range t.Dims {
		if d != s.row && d != s.column {
			s.xs[0].Pick = append(s.xs[0].Pick, d)
		}
	}
	return s, nil
}

// Outputs is one array.
func (s *small) Outputs() []ops.Output { return ops.One(s.out) }

// Lower writes all steps out, and chooses among their results.
func (s *small) Lower(l *ops.Lowering) []*ops.Stage {
	var in []*ops.Stage
	for _, x := range s.xs {
		in = append(in, l.In(x.Name))
	}
	stage := l.Stage("", s.out, in, func(b *ops.Body, index []*ir.Node) ops.Elem {
		read := func(k int, also map[int]int) *ir.Node {
			var at []*ir.Node
			rest := s.xs[k].Pick
			for d := range in[k].Type.Dims {
				if i, fixed := also[d]; fixed {
					at = append(at, b.I32(i))
					continue
				}
				at, rest = append(at, index[rest[0]]), rest[1:]
			}
			return b.Cast(ir.F64, in[k].At(b, at...).Re)
		}
		m := make([][]*ir.Node, s.n)
		for p := range m {
			for q := range s.n {
				if !s.lower || q <= p {
					m[p] = append(m[p], read(0, map[int]int{s.row: p, s.column: q}))
				}
			}
			if !s.lower {
				m[p] = append(m[p], read(1, map[int]int{s.rhs: p}))
			}
		}
		var x *ir.Node
		if s.lower {
			x = triangle(b, m, index[s.row], index[s.column])
		} else {
			x = chosen(b, eliminate(b, m), index[len(index)-1])
		}
		return ops.Real(b.Cast(s.out.Elem.Base, x))
	})
	stage.Steps = []string{"solve"}
	if s.lower {
		stage.Steps = []string{"cholesky"}
	}
	return []*ops.Stage{stage}
}

// chosen is one of a few values.
func chosen(b *ops.Body, of []*ir.Node, i *ir.Node) *ir.Node {
	x := of[0]
	for k, v := range of[1:] {
		x = b.Select(b.Lt(b.I32(k), i), v, x)
	}
	return x
}

// eliminate solves equations, each a row of coefficients and its right side.
func eliminate(b *ops.Body, m [][]*ir.Node) []*ir.Node {
	n := len(m)
	for k := range n {
		for p := k + 1; p < n; p++ { // the largest comes in front
			larger := b.Lt(b.Abs(m[k][k]), b.Abs(m[p][k]))
			for q := k; q <= n; q++ {
				m[k][q], m[p][q] = b.Select(larger, m[p][q], m[k][q]), b.Select(larger, m[k][q], m[p][q])
			}
		}
		for p := k + 1; p < n; p++ {
			f := b.Div(m[p][k], m[k][k])
			for q := k + 1; q <= n; q++ {
				m[p][q] = b.Sub(m[p][q], b.Mul(f, m[k][q]))
			}
		}
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

// triangle is an element of the root of a matrix, of which the lower triangle is given.
func triangle(b *ops.Body, m [][]*ir.Node, row, column *ir.Node) *ir.Node {
	zero := b.F64(0)
	of := make([]*ir.Node, len(m))
	for p := range m {
		for q := range m[p] {
			v := m[p][q]
			for k := range q {
				v = b.Sub(v, b.Mul(m[p][k], m[q][k]))
			}
			if p == q {
				m[p][q] = b.Sqrt(v)
			} else {
				m[p][q] = b.Div(v, m[q][q])
			}
		}
		of[p] = chosen(b, append(slices.Clone(m[p]), slices.Repeat([]*ir.Node{zero}, len(m)-len(m[p]))...), column)
	}
	return chosen(b, of, row)
}

// Reference does the same on numbers.
func (s *small) Reference(in map[string]ops.Dense) ([]ops.Dense, error) {
	out := ops.NewDense(false, s.out.Shape()...)
	for o, index := range ops.Indices(out.Shape) {
		read := func(k int, also map[int]int) float64 {
			d, rest, at := in[s.xs[k].Name], s.xs[k].Pick, 0
			for i, stride := range d.Strides() {
				j, fixed := also[i]
				if !fixed {
					j, rest = index[rest[0]], rest[1:]
				}
				at += stride * j
			}
			return d.Re[at]
		}
		m := make([][]float64, s.n)
		for p := range m {
			for q := range s.n {
				m[p] = append(m[p], read(0, map[int]int{s.row: p, s.column: q}))
			}
		}
		if s.lower {
			out.Re[o] = lowerOf(m, index[s.row], index[s.column])
			continue
		}
		b := make([]float64, s.n)
		for p := range b {
			b[p] = read(1, map[int]int{s.rhs: p})
		}
		out.Re[o] = solutionOf(m, b)[index[len(index)-1]]
	}
	return []ops.Dense{out}, nil
}

// solutionOf is by Gauss and Jordan: each column is cleared above and below.
func solutionOf(m [][]float64, b []float64) []float64 {
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
	}
	return b
}

// lowerOf is an element of the root, by the recursion that defines it.
func lowerOf(m [][]float64, p, q int) float64 {
	if q > p {
		return 0
	}
	v := m[p][q]
	for k := range q {
		v -= lowerOf(m, p, k) * lowerOf(m, q, k)
	}
	if p == q {
		return math.Sqrt(v)
	}
	return v / lowerOf(m, q, q)
}
