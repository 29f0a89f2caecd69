package linear

import (
	"fmt"
	"slices"

	"weft/kernels/ir"
	"weft/ops"
	"weft/ops/matrix"
	"weft/ops/operand"
	"weft/ops/problem"
)

// taken says what solve and inverse take a matrix to be: what they were told, or what is known of it.
func taken(c *ops.Call) (symmetric bool, triangle, known string, err error) {
	symmetric, triangle = c.Flag("symmetric"), c.Symbol("triangle")
	switch {
	case symmetric && triangle != "none":
		err = problem.Wrong(problem.CannotHonour, "triangle", "leave one of them out", "a symmetric matrix is no triangle")
	case !symmetric && triangle == "none":
		a, _ := c.Array("a")
		is := matrix.StructureOf(a).Over(c.Symbol("rows"), c.Symbol("columns")).Is
		says := func(p matrix.Property) string { return fmt.Sprintf("; a is %s: %s", matrix.PropertyNames[p], is[p]) }
		switch {
		case is[matrix.Zero] > matrix.Unknown:
			return false, "none", "", problem.Wrong(problem.Singular, "a", "", "all of the matrix is zero%s", says(matrix.Zero))
		case is[matrix.Lower] > matrix.Unknown:
			return false, "lower", says(matrix.Lower), nil
		case is[matrix.Upper] > matrix.Unknown:
			return false, "upper", says(matrix.Upper), nil
		case is[matrix.PositiveDefinite] > matrix.Unknown:
			return true, "none", says(matrix.PositiveDefinite), nil
		}
	}
	return symmetric, triangle, "", err
}

// Structure implements matrix.Structured: a root is a lower triangle.
func (s *small) Structure(c *ops.Call, _ int) matrix.Structure {
	if s.of != triangular {
		return matrix.Structure{}
	}
	return matrix.Structure{Rows: c.Symbol("rows"), Columns: c.Symbol("columns")}.With(matrix.Lower, matrix.Derived)
}

// Structure implements matrix.Structured: a root is a lower triangle, and an inverse what a matrix is, with rows and columns the other way round.
func (z *large) Structure(c *ops.Call, _ int) matrix.Structure {
	s := matrix.Structure{Rows: c.Symbol("rows"), Columns: c.Symbol("columns")}
	switch {
	case z.does == findRoot:
		return s.With(matrix.Lower, matrix.Derived)
	case z.rhs >= 0:
		return matrix.Structure{}
	}
	a, _ := c.Array("a")
	s = matrix.StructureOf(a).Over(s.Rows, s.Columns)
	switch {
	case z.does == solveGeneral:
	case z.does == solveDefinite:
		s = s.With(matrix.PositiveDefinite, matrix.Asserted)
	case z.upper:
		s = s.With(matrix.Upper, matrix.Derived)
	default:
		s = s.With(matrix.Lower, matrix.Derived)
	}
	s = matrix.Joined(matrix.Inverted, s)
	s.Rows, s.Columns = s.Columns, s.Rows
	return s
}

func structureSpecs() []*ops.Spec {
	input := ops.In("a", "square matrices: real")
	pair := sides("for what is the same of a transpose, it may be left out where there are two")
	made := "i = axis(i, 0 .. 2 in 3)\nj = axis(j, 0 .. 2 in 3)\n"
	const kept = " What `where` makes zero by comparing what is along the rows with what is along the columns is known to be so without a word. What is made of such matrices is known by what they are: sums and differences, products by numbers, products of matrices, transposes and inverses, of which solve and inverse then " +
		"take the triangle, the triangular root, or the transpose. Products of matrices leave out what is beside a triangle or a diagonal, whatever is there. A zero matrix is diagonal and antisymmetric; a diagonal one " +
		"is both triangles, and symmetric; one that is positive_definite is symmetric; of an orthogonal one, the transpose is the inverse; one that is unit_diagonal has ones there, and anything beside it; of a matrix of blocks (`block`), those that are not there are zero. " +
		"Which dimension is that of the rows is said by rows and columns, not by the order in which the array has them: where(j <= i, ...) is over j, then i, as that is the order in which they are named."
	return []*ops.Spec{
		{
			Name: "assume", Doc: "Say what a matrix is.", Group: "linear algebra", Error: operand.Exact,
			Long: fmt.Sprintf("Of a matrix in memory %d elements of each row are looked at, or all of no more, and the run stops where one is not as it should be, but for a millionth of the largest of them; of one that is "+
				"orthogonal, what its transpose makes of what it makes of a vector. One of which tiles or blocks of rows are read from disk is looked at in strict runs. `verify` looks at all.", probes) + kept,
			Returns: "the same array.", Counts: true,
			Params: []ops.Param{input, ops.Choose("is", "what it is", matrix.PropertyNames[:]...), pair[0], pair[1]},
			Examples: []ops.Example{{Title: "A triangle", Code: made + "a = where(j <= i, i + 1, 0) | assume(lower, rows: i, columns: j)\nshow(solve(a, i, rows: i, columns: j))"},
				{Title: "A reflection", Code: made + "a = where(i == j, 1, 0) - 2 / 3 | assume(orthogonal)\nshow(solve(a, i, rows: i, columns: j))\nshow(inverse(a, rows: i, columns: j))"}},
			Bind: func(c *ops.Call) (ops.Op, error) { return bindAssume(c, matrix.Asserted) },
		},
		{
			Name: "verify", Doc: "Look whether a matrix is what it should be.", Group: "linear algebra", Error: operand.Exact,
			Long: "All of its elements are looked at, or so many of each row as probes says, and the run stops where one is not as it should be, which is named. Whether it is orthogonal is seen by what its transpose " +
				"makes of what it makes of so many vectors, 8 if probes is 0. What should be zero, or equal, is so but for a millionth of the largest element of all. " +
				"Where a matrix goes by in blocks of rows, as it is larger than the memory, what is looked at in each row is taken out first, with what lies across the diagonal; whether it is orthogonal, or all of its elements equal those across, takes all of it in memory. " +
				"Columns change from row to row, so that whichever tile is wrong is seen: of 4,096 rows, with 8 probes, each of 64 by 64 elements. That a matrix is positive definite is found out by `cholesky`. What is verified in a turn of `iterate` is not looked at." + kept,
			Returns: "the same array.", Counts: true,
			Params: []ops.Param{input, ops.Choose("is", "what it should be", matrix.PropertyNames[:matrix.PositiveDefinite]...), pair[0], pair[1],
				ops.Num("probes", "", "elements of each row that are looked at; 0: all of them").Whole().AtLeast(0).Or(ops.Integer(0))},
			Examples: []ops.Example{{Title: "A sum with a transpose", Code: made + "a = i + 2 * j\nshow(a + rename(a, from: [i, j], to: [j, i]) | verify(symmetric))"}},
			Bind:     func(c *ops.Call) (ops.Op, error) { return bindAssume(c, matrix.Verified) },
		},
	}
}

// assumed are matrices of which something is known.
type assumed struct {
	ops.Gives
	is       matrix.Property
	why      matrix.Trust
	row, col int
	looks    int // at so many elements of each row, or with so many vectors; 0: at all
}

func bindAssume(c *ops.Call, why matrix.Trust) (ops.Op, error) {
	t, name := c.Type("a"), map[matrix.Trust]string{matrix.Asserted: "assume", matrix.Verified: "verify"}[why]
	if c.Has("rows") != c.Has("columns") || !c.Has("rows") && len(t.Dims) != 2 {
		return nil, problem.Wrong(problem.MissingDim, "a", "name both rows and columns", "`%s` is of matrices, and this is %s", name, t)
	}
	looks := probes
	if why == matrix.Verified {
		looks = c.Int("probes")
	}
	z := &assumed{looks: looks, Gives: ops.One(t), is: matrix.Property(slices.Index(matrix.PropertyNames[:], c.Symbol("is"))), why: why, col: 1}
	if !c.Has("rows") && (z.is == matrix.Lower || z.is == matrix.Upper) {
		return nil, problem.Wrong(problem.MissingDim, "is", "name them: rows: "+t.Dims[0].Name+", columns: "+t.Dims[1].Name+", or the other way round", "which triangle a matrix is depends on what its rows are")
	}
	if c.Has("rows") {
		s, err := square(c, name, 0)
		if err != nil {
			return nil, err
		}
		z.row, z.col = s.row, s.column
	}
	switch {
	case t.Dims[z.row].Size != t.Dims[z.col].Size:
		return nil, problem.Wrong(problem.WrongDims, "a", "", "`%s` needs square matrices, and these are %d by %d", name, t.Dims[z.row].Size, t.Dims[z.col].Size)
	case t.Elem.Complex || t.Elem.Base == ir.Bool:
		return nil, problem.Wrong(problem.WrongElementType, "a", "", "`%s` needs real numbers, and this is %s", name, t)
	}
	if one, other, found := z.Structure(c, 0).Contradiction(); found {
		return nil, problem.Wrong(problem.CannotHonour, "is", "leave one of them out", "no matrix is both %s and %s", matrix.PropertyNames[one], matrix.PropertyNames[other])
	}
	if z.is == matrix.Orthogonal && why == matrix.Asserted {
		z.looks = vectorsAssumed
	}
	return z, nil
}

// Structure implements matrix.Structured.
func (z *assumed) Structure(c *ops.Call, _ int) matrix.Structure {
	a, _ := c.Array("a")
	return matrix.StructureOf(a).Over(z.Gives[0].Type.Dims[z.row].Name, z.Gives[0].Type.Dims[z.col].Name).With(z.is, z.why)
}

// Renames implements operand.Renamer.
func (z *assumed) Renames(c *ops.Call) (ops.Array, map[string]string, bool) {
	a, ok := c.Array("a")
	return a, nil, ok
}

// Lower gives what it is given.
func (z *assumed) Lower(l *ops.Lowering) []*ops.Stage { return []*ops.Stage{l.In("a")} }

// Reference implements ops.Referencer.
func (z *assumed) Reference(in map[string]ops.Dense) ([]ops.Dense, error) {
	return []ops.Dense{in["a"]}, nil
}
