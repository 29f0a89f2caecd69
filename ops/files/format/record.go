package format

import (
	"weft/ops"
	"weft/ops/files/element"
	"weft/ops/problem"
)

// SameRows finds arrays of a record that are no columns of one table: all have the same first dim, or none has any, and elements that files hold.
func SameRows(of []Named, holds func(element.DType) bool) error {
	for _, n := range of {
		first, t := of[0].Order.Type, n.Order.Type
		switch {
		case len(first.Dims) == 0 != (len(t.Dims) == 0) || len(t.Dims) > 0 && (t.Dims[0].Name != first.Dims[0].Name || t.Dims[0].Size != first.Dims[0].Size):
			return problem.Wrong(problem.CannotStore, "array", "write parts of different lengths to files of their own, or to a .npz",
				"a table has a row for each element of one dimension, and %s is %s where %s is %s", n.Name, t, of[0].Name, first)
		case !holds(n.Order.DType):
			return problem.Wrong(problem.CannotStore, "array", "convert it by cast first", "such files hold no %s, which %s is", n.Order.Elem, n.Name)
		}
	}
	return nil
}

// Heading is the name of a column with its unit: velocity (km/s).
func Heading(name string, u ops.Unit) string {
	if u.Plain() {
		return name
	}
	return name + " (" + u.String() + ")"
}
