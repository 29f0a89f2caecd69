package operand

import (
	"errors"
	"fmt"
	"math"

	"weft/ops"
	"weft/ops/problem"
)

// Broadcast joins the dims of the operands by name and tells each operand which dims of the result are its own.
func Broadcast(op string, xs []Operand) ([]ops.Dim, error) {
	var dims []ops.Dim
	var from []string // which operand each dim comes from
	var errs []error
	for i := range xs {
		x := &xs[i]
		x.Pick = make([]int, len(x.Type.Dims))
		for j, d := range x.Type.Dims {
			k := ops.Type{Dims: dims}.Dim(d.Name)
			if k < 0 {
				k = len(dims)
				dims, from = append(dims, d), append(from, x.Name)
			} else if err := join(op, &dims[k], d, from[k], x.Name); err != nil {
				errs = append(errs, err)
			}
			x.Pick[j] = k
		}
	}
	return dims, errors.Join(errs...)
}

// join checks that two dims of one name are the same, and takes over coordinates that only the second has.
func join(op string, have *ops.Dim, d ops.Dim, haveName, name string) error {
	switch {
	case have.Size != d.Size:
		return problem.Wrong(problem.ExtentMismatch, name, fmt.Sprintf("slice them alike, or give one another name, if they are different dimensions: rename(..., from: %s, to: ...)", d.Name),
			"dimension %s has %d points here, and %d %s", d.Name, d.Size, have.Size, within(op, haveName))
	case !have.SameCount(d):
		return problem.Wrong(problem.ExtentMismatch, name, "pack indices once, and take what belongs together at these: a[x: picked], b[x: picked]",
			"how many elements there are along %s is known only when it runs, and may be another number here than %s", d.Name, within(op, haveName))
	case have.Coords == nil:
		have.Coords, have.Unit, have.Frame = d.Coords, d.Unit, d.Frame
	case d.Coords != nil:
		if err := JoinFrames(have, d, haveName, name); err != nil {
			return err
		}
		if !SameCoords(*have, d) {
			return problem.Wrong(problem.CoordinateMismatch, name, "slice both to the same coordinates, or give one of them others by with_coordinates",
				"the coordinates of %s differ: %s here, and %s %s", d.Name, Extent(d), Extent(*have), within(op, haveName))
		}
	}
	return nil
}

// JoinFrames checks that the coordinates of two dims are in the same system, and takes over the system that only the second names.
func JoinFrames(have *ops.Dim, d ops.Dim, haveName, name string) error {
	switch {
	case have.Frame == nil:
		have.Frame = d.Frame
	case d.Frame != nil && !have.Frame.Same(d.Frame):
		return problem.Wrong(problem.CoordinateMismatch, name, "project both to the same system first",
			"dimension %s is in %s in %s and in %s in %s", d.Name, have.Frame, haveName, d.Frame, name)
	}
	return nil
}

// SameCoords compares coordinates to 1e-9 of the largest of them.
func SameCoords(a, b ops.Dim) bool {
	if !a.Unit.Same(b.Unit) || len(a.Coords) != len(b.Coords) {
		return false
	}
	scale := 0.0
	for _, v := range a.Coords {
		scale = max(scale, math.Abs(v))
	}
	for i, v := range a.Coords {
		if math.Abs(v-b.Coords[i]) > 1e-9*scale {
			return false
		}
	}
	return true
}

// Extent puts the coordinates of a dim into words: -10 mm .. 10 mm in 64.
func Extent(d ops.Dim) string {
	n := len(d.Coords)
	return ops.Range{From: coordinate(d, 0), To: coordinate(d, n-1), N: n}.String()
}

func coordinate(d ops.Dim, i int) ops.Number { return ops.Number{V: d.Coords[i], Unit: d.Unit} }
