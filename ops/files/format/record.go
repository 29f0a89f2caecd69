package format

import (
	"slices"

	"weft/ops"
	"weft/ops/files/element"
	"weft/ops/operand"
	"weft/ops/problem"
)

// SameRows finds arrays of a record that are no columns of one table: all have the same first dim, with one set of coordinates, or none has any, and elements that files hold.
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
	_, err := Placed(of, 1)
	return err
}

// Placed are the dims with coordinates of the arrays of a record, of each so many first ones: each name once, since a file holds
// coordinates by it, so that other ones are refused.
func Placed(of []Named, first int) ([]ops.Dim, error) {
	var dims []ops.Dim
	var from []string // the arrays that they are of
	for _, n := range of {
		own := n.Order.Type.Dims
		for _, d := range own[:min(first, len(own))] {
			i := slices.IndexFunc(dims, func(e ops.Dim) bool { return e.Name == d.Name })
			switch {
			case d.Coords == nil:
			case i < 0:
				dims, from = append(dims, d), append(from, n.Name)
			case !operand.SameCoords(dims[i], d):
				return nil, problem.Wrong(problem.CoordinateMismatch, "array", "write them to files of their own, or give one of the dimensions another name by rename",
					"a file holds one set of coordinates of %s, and they are %s for %s and %s for %s", d.Name, operand.Extent(dims[i]), from[i], operand.Extent(d), n.Name)
			}
		}
	}
	return dims, nil
}

// Heading is the name of a column or an axis with its unit: velocity (km/s); the unit alone of what has no name.
func Heading(name string, u ops.Unit) string {
	switch {
	case u.Plain():
		return name
	case name == "":
		return u.String()
	}
	return name + " (" + u.String() + ")"
}
