package linear

import (
	"fmt"
	"slices"

	"weft/kernels/ir"
	"weft/ops"
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
		is := ops.StructureOf(a).Over(c.Symbol("rows"), c.Symbol("columns")).Is
		says := func(p ops.Property) string { return fmt.Sprintf("; a is %s: %s", ops.PropertyNames[p], is[p]) }
		switch {
		case is[ops.Lower] > ops.Unknown:
			return false, "lower", says(ops.Lower), nil
		case is[ops.Upper] > ops.Unknown:
			return false, "upper", says(ops.Upper), nil
		case is[ops.PositiveDefinite] > ops.Unknown:
			return true, "none", says(ops.PositiveDefinite), nil
		}
	}
	return symmetric, triangle, "", err
}

// Structure implements ops.Structured: a root is a lower triangle.
func (s *small) Structure(c *ops.Call, _ int) ops.Structure {
	if s.of != triangular {
		return ops.Structure{}
	}
	return ops.Structure{Rows: c.Symbol("rows"), Columns: c.Symbol("columns")}.With(ops.Lower, ops.Derived)
}

// Structure implements ops.Structured: a root is a lower triangle, and an inverse what a matrix is, with rows and columns the other way round.
func (z *large) Structure(c *ops.Call, _ int) ops.Structure {
	s := ops.Structure{Rows: c.Symbol("rows"), Columns: c.Symbol("columns")}
	switch {
	case z.does == findRoot:
		return s.With(ops.Lower, ops.Derived)
	case z.rhs >= 0:
		return ops.Structure{}
	}
	a, _ := c.Array("a")
	s = ops.StructureOf(a).Over(s.Rows, s.Columns)
	switch {
	case z.does == solveDefinite:
		s = s.With(ops.PositiveDefinite, ops.Asserted)
	case z.upper:
		s = s.With(ops.Upper, ops.Derived)
	default:
		s = s.With(ops.Lower, ops.Derived)
	}
	s = ops.Joined(ops.Inverted, s)
	s.Rows, s.Columns = s.Columns, s.Rows
	return s
}

func structureSpecs() []*ops.Spec {
	input := ops.In("a", "square matrices: real")
	rows := ops.Param{Name: "rows", Doc: "their first dimension; for what is the same of a transpose, it may be left out where there are two", Accept: ops.KSymbol, Optional: true}
	columns := ops.Param{Name: "columns", Doc: "their other one", Accept: ops.KSymbol, Optional: true}
	made := "i = axis(i, 0 .. 2 in 3)\nj = axis(j, 0 .. 2 in 3)\n"
	const kept = " What is made of such matrices is known by what they are: sums and differences, products by numbers, products of matrices, transposes and inverses, of which solve and inverse then " +
		"take the triangle, or the triangular root. A diagonal matrix is both triangles, and symmetric; one that is positive_definite is symmetric."
	return []*ops.Spec{
		{
			Name: "assume", Doc: "Say what a matrix is.", Group: "linear algebra", Error: operand.Exact,
			Long: fmt.Sprintf("Of a matrix in memory %d elements of each row are looked at, or all of no more, and the run stops where one is not as it should be, but for a millionth of the largest of them. "+
				"`verify` looks at all.", probes) + kept,
			Returns: "the same array.", Counts: true,
			Params:   []ops.Param{input, ops.Choose("is", "what it is", ops.PropertyNames[:]...), rows, columns},
			Examples: []ops.Example{{Title: "A triangle", Code: made + "a = where(j <= i, i + 1, 0) | assume(lower, rows: i, columns: j)\nshow(solve(a, i, rows: i, columns: j))"}},
			Bind:     func(c *ops.Call) (ops.Op, error) { return bindAssume(c, ops.Asserted) },
		},
		{
			Name: "verify", Doc: "Look whether a matrix is what it should be.", Group: "linear algebra", Error: operand.Exact,
			Long: "All of its elements are looked at, and the run stops where one is not as it should be, which is named. What should be zero, or equal, is so but for a millionth of the largest element of all. " +
				"That a matrix is positive definite is found out by `cholesky`. What is verified in a turn of `iterate` is not looked at." + kept,
			Returns: "the same array.", Counts: true,
			Params:   []ops.Param{input, ops.Choose("is", "what it should be", ops.PropertyNames[:ops.PositiveDefinite]...), rows, columns},
			Examples: []ops.Example{{Title: "A sum with a transpose", Code: made + "a = i + 2 * j\nshow(a + rename(a, from: [i, j], to: [j, i]) | verify(symmetric))"}},
			Bind:     func(c *ops.Call) (ops.Op, error) { return bindAssume(c, ops.Verified) },
		},
	}
}

// assumed are matrices of which something is known.
type assumed struct {
	ops.Gives
	is       ops.Property
	why      ops.Trust
	row, col int
}

func bindAssume(c *ops.Call, why ops.Trust) (ops.Op, error) {
	t, name := c.Type("a"), map[ops.Trust]string{ops.Asserted: "assume", ops.Verified: "verify"}[why]
	if c.Has("rows") != c.Has("columns") || !c.Has("rows") && len(t.Dims) != 2 {
		return nil, problem.Wrong(problem.MissingDim, "a", "name both rows and columns", "`%s` is of matrices, and this is %s", name, t)
	}
	z := &assumed{Gives: ops.One(t), is: ops.Property(slices.Index(ops.PropertyNames[:], c.Symbol("is"))), why: why, col: 1}
	if !c.Has("rows") && (z.is == ops.Lower || z.is == ops.Upper) {
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
	return z, nil
}

// Structure implements ops.Structured.
func (z *assumed) Structure(c *ops.Call, _ int) ops.Structure {
	a, _ := c.Array("a")
	return ops.StructureOf(a).Over(z.Gives[0].Type.Dims[z.row].Name, z.Gives[0].Type.Dims[z.col].Name).With(z.is, z.why)
}

// Lower gives what it is given.
func (z *assumed) Lower(l *ops.Lowering) []*ops.Stage { return []*ops.Stage{l.In("a")} }

// Reference implements ops.Referencer.
func (z *assumed) Reference(in map[string]ops.Dense) ([]ops.Dense, error) {
	return []ops.Dense{in["a"]}, nil
}
