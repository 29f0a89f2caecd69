package linear

import (
	"cmp"
	"fmt"

	"weft/ops"
	"weft/ops/problem"
)

// sides are the parameters that name which dims of an array are those of a matrix; left is what that of the rows is where they are left out.
func sides(left string) []ops.Param {
	return []ops.Param{
		{Name: "rows", Doc: "their first dimension; " + left, Accept: ops.KSymbol, Optional: true},
		{Name: "columns", Doc: "their other one", Accept: ops.KSymbol, Optional: true},
	}
}

// nameSides names both sides of the matrix of a call, as far as they follow from its arrays: of one side the other, of right sides the rows; else the rows come first,
// where that makes no difference but which triangle of a root is not zero.
func nameSides(c *ops.Call) error {
	rows, columns := c.Symbol("rows"), c.Symbol("columns")
	if rows != "" && columns != "" {
		return nil
	}
	t, name := c.Type("a"), c.Spec.Name
	if len(t.Dims) != 2 {
		return problem.Wrong(problem.MissingDim, "a", "name both: rows: NAME, columns: NAME", "`%s` is of matrices, and this is %s", name, t)
	}
	first, other := t.Dims[0].Name, t.Dims[1].Name
	switch b, has := c.Array("b"); {
	case rows == other || columns == first:
		first, other = other, first
	case rows != "" || columns != "":
	case has:
		if b.Type().Dim(first) < 0 {
			first, other = other, first
		}
		if b.Type().Dim(first) < 0 || b.Type().Dim(other) >= 0 {
			return problem.Wrong(problem.MissingDim, "b", "rename its dimensions", "right sides are over the rows of the matrix, which is %s, and have not its columns; this is %s", t, b.Type())
		}
	case cmp.Or(c.Symbol("triangle"), "none") != "none":
		return problem.Wrong(problem.MissingDim, "triangle", fmt.Sprintf("name them: rows: %s, columns: %s, or the other way round", first, other), "which triangle a matrix is depends on what its rows are")
	}
	c.Args["rows"], c.Args["columns"] = ops.Symbol(cmp.Or(rows, first)), ops.Symbol(cmp.Or(columns, other))
	return nil
}
