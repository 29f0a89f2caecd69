package linear

import (
	"errors"
	"slices"

	"weft/kernels/ir"
	"weft/ops"
	"weft/ops/operand"
	"weft/ops/problem"
)

// Bounds of the matrices whose steps are all written out in a kernel: a compiler takes seconds for them. Rows that change places are many more
// steps.
const (
	mostSmall     = 20
	mostPermuting = 8
)

func smallSpecs() []*ops.Spec {
	matrix := ops.In("a", "square matrices: real")
	order := sides("left out of an array of two dimensions, the first that it has")
	rights := sides("left out of an array of two dimensions, the one that b has")
	tiles := ops.Choose("order", "in which tiles are found, where a does not fit the memory", "left", "right").Or(ops.Symbol("left"))
	right := ops.In("b", "right sides, over rows: real")
	made := "i = axis(i, 0 .. 2 in 3)\nj = axis(j, 0 .. 2 in 3)\na = where(i == j, 4, 1 / (1 + i + j))\n"
	rule := ops.ErrorRule{Metric: ops.Peak, Tolerance: 1e-5}
	symmetric := ops.Param{Name: "symmetric", Doc: "whether a is symmetric and positive definite", Accept: ops.KBool, Default: ops.Flag(false)}
	triangle := ops.Choose("triangle", "the triangle that a is: all that is read of it", "none", "lower", "upper").Or(ops.Symbol("none"))
	const larger = "One matrix of more than 20 rows, without other dimensions, goes by panels of 128 columns: its products are in the type of its elements, blocks on the diagonal " +
		"in float64. Where it has no root, or no one solution, the run stops and says at which row, counted from 0. The tolerance is of each panel, from those before it; " +
		"all in all, the error is up to about the condition of the matrix times the rounding of its type."
	const onDisk = " Where a does not fit the memory, tiles of it and of the root are in memory, and the rest is on disk, beside what the program writes; an a that is read from no file, and does not " +
		"follow from what its elements can be computed from in place, is stored there first. Of t x t tiles, t^2 + t (t - 1) (t - 2) / 6 are read at most and t (t + 1) / 2 written: what the columns before " +
		"a tile take from it is summed up when it is its turn (left-looking). With `order: right` it is added up in the place of each tile as soon as a column of tiles is found: t (t + 1) / 2 + t (t^2 - 1) / 6 are read at most, and as " +
		"many written, in twice that room on the disk, and one column of tiles is in memory in place of three rows of them (Toledo, A survey of out-of-core algorithms in numerical linear algebra, 1999). The bits are those of the whole, of f32 where " +
		"tiles have 512 rows or more, but that right-looking rounds such sums to f32 every 512 columns, or every tile where tiles have fewer."
	const triangleOnDisk = " A triangle that does not fit the memory is read in tiles, and so are right sides, one or along one other dimension, from their files or where they are stored on disk first, unless they follow " +
		"from what their elements can be computed from in place; solutions are on disk: of u x t tiles, for each of u the t (t + 1) / 2 of the triangle are read, and of an inverse t (t + 1) (t + 2) / 6 in all, " +
		"since tiles of zeros are neither read nor made. The bits are those of the whole, of f32 where tiles have 512 rows or more."
	return []*ops.Spec{
		{
			Name: "solve", Doc: "Solutions of systems of linear equations.", Group: "linear algebra", Error: rule,
			Long: "x where sum(a * x, over: columns) is b, for each element of the other dimensions by itself: elimination, with the largest of a column in " +
				"front. With `symmetric`, a is symmetric and positive definite: by its triangular root, of which only the lower triangle is read; of more than 20 rows it is found out if it is not symmetric. With " +
				"`triangle`, only that triangle of a is read. Where neither is said, a is taken to be what is known of it (see `assume`). At most 20 rows, or 8 of a matrix that is neither, are solved in float64, in the kernel that uses " +
				"it. Where one of several systems of at most 20 rows has no one solution, its x is not finite, or NaN, and the run warns of it, naming the first such system and its pivot; where none has one, or there " +
				"is only one system, the run stops. So it is with `cholesky` and `marginal`. What a library solves, or a turn of `iterate`, is not told of. " + larger + " One that is neither symmetric nor a triangle goes so from 9 rows on, in memory as a whole; what the solution leaves of " +
				"the right sides, in float64, is solved for once more, and the run warns where a pivot is as small as what rounding leaves in its column, or the second solution is no smaller than a tenth of the first." +
				triangleOnDisk + " Golub and Van Loan, Matrix Computations, 4th edition, 3.1, 3.4, 3.5.3 and 4.2.",
			Returns: "an array over the other dimensions of both, joined by name, then columns.",
			Params:  []ops.Param{matrix, right, rights[0], rights[1], symmetric, triangle},
			Examples: []ops.Example{{Title: "Three equations", Code: made + "x = solve(a, i, rows: i, columns: j)\nshow(x)\nshow(sum(a * x, over: j))"},
				{Title: "By a triangle", Code: made + "l = cholesky(a, rows: i, columns: j)\nshow(solve(l, i, rows: i, columns: j, triangle: lower))"}},
			Deduce: nameSides, Bind: bindSolve,
		},
		{
			Name: "inverse", Doc: "Inverse of a matrix.", Group: "linear algebra", Error: rule,
			Long: "Over the dimensions of a: x is sum(inverse(a) * b, over: rows) where sum(a * x, over: columns) is b. So rows and columns have changed places: the element at " +
				"a row and a column is that of the inverse in the row of the column, and the column of the row. solve takes less time, and is more exact. Where neither `symmetric` nor `triangle` is said, a is what is known of it (see `assume`), or any matrix. " + larger + triangleOnDisk,
			Returns:  "an array like a; of a matrix of any kind, its rows come first.",
			Params:   []ops.Param{matrix, order[0], order[1], symmetric, triangle},
			Examples: []ops.Example{{Title: "Of a symmetric one", Code: made + "x = inverse(a, rows: i, columns: j, symmetric: true)\nshow(x)\nshow(sum(a * rename(x, from: i, to: k), over: j))"}},
			Deduce:   nameSides, Bind: bindInverse,
		},
		{
			Name: "cholesky", Doc: "Triangular roots of symmetric matrices.", Group: "linear algebra", Error: rule,
			Long: "The lower triangle l where sum(l * rename(l, from: rows, to: other), over: columns) is a, for each element of the other dimensions by itself. " +
				"Only the lower triangle of a is read. At most 20 rows are computed in float64, in the kernel that uses them: NaN where one of several is not positive definite, of which the run warns, as in `solve`. " + larger + onDisk +
				" Golub and Van Loan, Matrix Computations, 4th edition, 4.2.",
			Returns:  "an array like a.",
			Params:   []ops.Param{matrix, order[0], order[1], tiles},
			Examples: []ops.Example{{Title: "Of three rows", Code: made + "show(cholesky(a, rows: i, columns: j))"}},
			Deduce:   nameSides, Bind: bindCholesky,
		},
		{
			Name: "marginal", Doc: "What is left of a square when the numbers are marginalised that it depends on.", Group: "linear algebra", Error: rule,
			Long: "log(det a) - sum(b * x, over: rows), where x is the solution of a and b, for each element of the other dimensions by itself, in float64, in the " +
				"kernel that uses it: with d, s the data and the terms of a model in units of the errors, a the sums of products of terms and b those of terms and data, " +
				"sum(d^2) + marginal(a, b) is -2 log of the likelihood, but for a constant, over all coefficients of the terms. Only the lower triangle of a is read. " +
				"At most 20 rows. NaN where one of several a is not positive definite, of which the run warns, as in `solve`.",
			Returns:  "an array over the other dimensions of both, joined by name.",
			Params:   []ops.Param{matrix, right, rights[0], rights[1]},
			Examples: []ops.Example{{Title: "Three terms", Code: made + "show(marginal(a, i + 1, rows: i, columns: j))"}},
			Deduce:   nameSides, Bind: bindMarginal,
		},
	}
}

// small is what is made of small matrices, element by element of the other dims.
type small struct {
	n, row, column int // the extent, and the two dims of a
	xs             []operand.Operand
	out            ops.Type
	rhs            int   // the dim of b that is that of rows
	wanted         []int // the dims of the result that tell which element of a solution or a triangle is wanted
	of             *result
}

// square finds the matrix among the dims of a, which has so many rows at most; 0: any number.
func square(c *ops.Call, name string, most int) (*small, error) {
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
	case most > 0 && t.Dims[s.row].Size > most:
		errs = append(errs, problem.Wrong(problem.OutOfBounds, "a", "", "`%s` is for at most %d rows, and these are %d", name, most, t.Dims[s.row].Size))
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

// rights takes the right sides of a call, and gives the dims and the type of what is made of them and the matrix.
func (s *small) rights(c *ops.Call, name string) error {
	a, b := c.Type("a"), operand.New("b", c.Args["b"])
	s.rhs = b.Type.Dim(c.Symbol("rows"))
	column := a.Dims[s.column]
	switch {
	case s.rhs < 0:
		return operand.UnknownDim("b", c.Symbol("rows"), b.Type)
	case b.Type.Dims[s.rhs].Size != s.n:
		return problem.Wrong(problem.WrongDims, "b", "", "`%s` needs a right side for each row: there are %d rows, and this is %s", name, s.n, b.Type)
	case b.Type.Elem.Complex || b.Type.Elem.Base == ir.Bool:
		return problem.Wrong(problem.WrongElementType, "b", "", "`%s` needs real numbers, and this is %s", name, b.Type)
	case b.Type.Dim(column.Name) >= 0:
		return problem.Wrong(problem.DuplicateDim, "b", "rename it", "right sides have no dimension %s, which is that of the solutions", column.Name)
	}
	s.out.Elem.Base = ops.Inexact(ops.Promote(a.Elem, b.Type.Elem).Base)
	s.out.Unit = b.Type.Unit.Times(a.Unit.Power(-1))
	b.Type.Dims = operand.Without(b.Type.Dims, []int{s.rhs})
	s.xs = append(s.xs, b)
	var err error
	s.out.Dims, err = operand.Broadcast(name, s.xs)
	return err
}

func bindSolve(c *ops.Call) (ops.Op, error) {
	of, does, most := elimination, solveGeneral, mostPermuting
	symmetric, triangle, known, err := taken(c)
	switch {
	case err != nil:
		return nil, err
	case symmetric:
		of, does, most = definite, solveDefinite, mostSmall
	case triangle != "none":
		of, does, most = map[string]*result{"lower": forward, "upper": backward}[triangle], solveTriangle, mostSmall
	}
	s, err := square(c, "solve", 0)
	if err != nil {
		return nil, err
	}
	if err := s.rights(c, "solve"); err != nil {
		return nil, err
	}
	sides := s.out.Dims
	s.wanted = []int{len(sides)}
	s.out.Dims = append(slices.Clone(sides), c.Type("a").Dims[s.column])
	if knownOrthogonal(c) {
		return &turned{Gives: ops.One(s.out), of: s}, nil
	}
	if s.of = of; s.n <= most {
		return s, nil
	}
	z, err := newLarge(c, "solve", s, does)
	if err != nil {
		return nil, err
	}
	z.rhs, z.sides, z.upper, z.known = s.rhs, sides, triangle == "upper", known
	if does == solveGeneral {
		return general{z}, nil
	}
	return z, nil
}

func bindInverse(c *ops.Call) (ops.Op, error) {
	s, err := square(c, "inverse", 0)
	if err != nil {
		return nil, err
	}
	t, does := c.Type("a"), solveTriangle
	symmetric, triangle, known, err := taken(c)
	switch {
	case err != nil:
		return nil, err
	case symmetric:
		does = solveDefinite
	case triangle == "none":
		does = solveGeneral
	}
	s.out.Dims, s.out.Unit = t.Dims, t.Unit.Power(-1)
	if knownOrthogonal(c) {
		return &turned{Gives: ops.One(s.out), of: s, inverse: true}, nil
	}
	if does == solveGeneral && s.row > s.column { // solutions lie along the last dim
		s.out.Dims = []ops.Dim{t.Dims[s.row], t.Dims[s.column]}
	}
	z, err := newLarge(c, "inverse", s, does)
	if err != nil {
		return nil, err
	}
	if z.upper, z.known = triangle == "upper", known; does == solveGeneral {
		return general{z}, nil
	}
	return z, nil
}

func bindMarginal(c *ops.Call) (ops.Op, error) {
	s, err := square(c, "marginal", mostSmall)
	if err != nil {
		return nil, err
	}
	err = s.rights(c, "marginal")
	if err == nil && !(c.Type("a").Unit.Plain() && s.out.Unit.Plain()) {
		err = problem.Wrong(problem.UnitMismatch, "a", "divide by a unit first", "`marginal` adds a logarithm of a to squares of b by a, and these are in %s and %s", c.Type("a").Unit, s.xs[1].Type.Unit)
	}
	s.of = marginal
	return s, err
}

func bindCholesky(c *ops.Call) (ops.Op, error) {
	s, err := square(c, "cholesky", 0)
	if err != nil {
		return nil, err
	}
	t := c.Type("a")
	root, even := t.Unit.Root()
	if !even {
		return nil, problem.Wrong(problem.UnitMismatch, "a", "divide by a unit first", "there is no root of %s", t.Unit)
	}
	s.of, s.out.Dims, s.out.Unit = triangular, t.Dims, root
	if s.n > mostSmall {
		z, err := newLarge(c, "cholesky", s, findRoot)
		if err != nil {
			return nil, err
		}
		z.right = c.Symbol("order") == "right"
		return z, nil
	}
	for d := range t.Dims {
		if d != s.row && d != s.column {
			s.xs[0].Pick = append(s.xs[0].Pick, d)
		}
	}
	s.wanted = []int{s.row, s.column}
	return s, nil
}

// Outputs is one array.
func (s *small) Outputs() []ops.Output { return ops.One(s.out) }

// Lower writes all steps out.
func (s *small) Lower(l *ops.Lowering) []*ops.Stage {
	var in []*ops.Stage
	for _, x := range s.xs {
		in = append(in, l.In(x.Name))
	}
	stage := l.Stage("", s.out, in, func(b *ops.Body, index []*ir.Node) ops.Elem {
		m := s.rows(b, in, index)
		return ops.Real(b.Cast(s.out.Elem.Base, s.of.build(b, m, operand.Picked(index, s.wanted))))
	})
	stage.Steps = []string{s.of.name}
	return []*ops.Stage{stage}
}

// rows are those of the matrix of a point, with right sides where these are among what is read.
func (s *small) rows(b *ops.Body, in []*ops.Stage, index []*ir.Node) [][]*ir.Node {
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
			if !s.of.symmetric || q <= p {
				m[p] = append(m[p], read(0, map[int]int{s.row: p, s.column: q}))
			}
		}
		if len(in) > 1 {
			m[p] = append(m[p], read(1, map[int]int{s.rhs: p}))
		}
	}
	return m
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
		var rights []float64
		for p := range len(s.xs[1:]) * s.n {
			rights = append(rights, read(1, map[int]int{s.rhs: p}))
		}
		out.Re[o] = s.of.value(m, rights, operand.Picked(index, s.wanted))
	}
	return []ops.Dense{out}, nil
}
