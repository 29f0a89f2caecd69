package operand

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"weft/ops"
	"weft/ops/problem"
)

// DimsNamed finds the dims an argument names, in the order of the array. Without the argument, or where it is `all`, they are all of them.
func DimsNamed(c *ops.Call, arg string, t ops.Type, sorted bool) ([]int, error) {
	names, err := c.Names(arg)
	if err != nil {
		return nil, err
	}
	if !c.Has(arg) || len(names) == 1 && names[0] == "all" && t.Dim("all") < 0 {
		all := make([]int, len(t.Dims))
		for i := range all {
			all[i] = i
		}
		return all, nil
	}
	if len(names) == 0 {
		return nil, problem.Wrong(problem.NotANameList, arg, "leave it out for all dimensions", "`%s` names no dimension", arg)
	}
	var errs []error
	place := map[int]bool{}
	var out []int
	for k, n := range names {
		i := t.Dim(n)
		switch {
		case i < 0:
			errs = append(errs, UnknownDim(fmt.Sprintf("%s.%d", arg, k), n, t))
			continue
		case place[i]:
			errs = append(errs, problem.Wrong(problem.DuplicateDim, fmt.Sprintf("%s.%d", arg, k), "leave one out", "dimension %s is named twice", n))
		}
		place[i] = true
		out = append(out, i)
	}
	if sorted {
		out = out[:0]
		for i := range t.Dims {
			if place[i] {
				out = append(out, i)
			}
		}
	}
	return out, errors.Join(errs...)
}

// UnknownDim says which dims there are.
func UnknownDim(arg, name string, t ops.Type) error {
	help := "the array has no dimensions"
	if len(t.Dims) > 0 {
		help = "its dimensions are " + strings.Join(t.DimNames(), ", ")
	}
	return problem.Wrong(problem.UnknownDim, arg, help, "the array has no dimension %s", name).Among(t.DimNames())
}

// Without are the dims but those at the given places.
func Without(dims []ops.Dim, places []int) []ops.Dim {
	drop := map[int]bool{}
	for _, p := range places {
		drop[p] = true
	}
	var out []ops.Dim
	for i, d := range dims {
		if !drop[i] {
			out = append(out, d)
		}
	}
	return out
}

// Distinct checks that dims have different names.
func Distinct(arg string, dims []ops.Dim) error {
	seen := map[string]bool{}
	for _, d := range dims {
		if seen[d.Name] {
			return problem.Wrong(problem.DuplicateDim, arg, "choose another name", "the array would have two dimensions %s", d.Name)
		}
		seen[d.Name] = true
	}
	return nil
}

// NewDims reads dims and extents of at most total elements. One extent may be -1, then open is its place, or -1.
func NewDims(c *ops.Call, total int) (dims []ops.Dim, open, product int, err error) {
	names, err := c.Names("dims")
	if err != nil {
		return nil, 0, 0, err
	}
	extents := c.List("extents")
	if len(names) != len(extents) {
		return nil, 0, 0, problem.Wrong(problem.DimsCount, "extents", "give one extent a dimension", "`dims` names %d dimensions, and here are %d extents", len(names), len(extents))
	}
	dims = make([]ops.Dim, len(names))
	open, product = -1, 1
	for i, v := range extents {
		n, ok := v.(ops.Number)
		switch {
		case !ok || !n.Unit.Plain() || n.V != math.Trunc(n.V):
			return nil, 0, 0, problem.Wrong(problem.NotWhole, fmt.Sprintf("extents.%d", i), "", "an extent is a whole number, and this is %s", v)
		case n.V == -1 && open < 0:
			open = i
		case n.V < 1:
			return nil, 0, 0, problem.Wrong(problem.ZeroExtent, fmt.Sprintf("extents.%d", i), "give at least 1", "the extent of %s is %s", names[i], v)
		case n.V > float64(total/product):
			return nil, 0, 0, problem.Wrong(problem.BadReshape, "extents", "", "these extents make more than %d elements", total)
		default:
			product *= int(n.V)
		}
		dims[i] = ops.Dim{Name: names[i], Size: int(n.V)}
	}
	return dims, open, product, Distinct("dims", dims)
}

// Points are the points of a range that an argument gives.
func Points(arg string, r ops.Range) ([]float64, error) {
	n := float64(r.N)
	if r.N == 0 && r.Step != 0 {
		n = (r.To.V-r.From.V)/r.Step + 1
	}
	if !(n <= mostPoints) {
		return nil, problem.Wrong(problem.OutOfBounds, arg, "", "the range %s has more than %d points", r, mostPoints)
	}
	points := r.Points()
	if len(points) == 0 {
		return nil, problem.Wrong(problem.EmptyRange, arg, "write its ends the other way round", "the range %s holds no points", r)
	}
	return points, nil
}

// About makes problems with the items of a list problems with the list.
func About(arg string, err error) error {
	errs := problem.Each(err)
	for i, e := range errs {
		var p problem.Problem
		if errors.As(e, &p) {
			item, of := strings.CutPrefix(p.Arg, "item ")
			if p.Arg = arg; of {
				p.Arg += "." + item
			}
			errs[i] = p
		}
	}
	return errors.Join(errs...)
}

// mostPoints bounds the coordinates of a dim, which are held in memory while the program is checked.
const mostPoints = 1 << 24

// Line is the dim that the argument `along` names, or the only one.
func Line(c *ops.Call, t ops.Type) (int, error) {
	if c.Has("along") {
		name := c.Symbol("along")
		if i := t.Dim(name); i >= 0 {
			return i, nil
		}
		return 0, UnknownDim("along", name, t)
	}
	if len(t.Dims) != 1 {
		return 0, problem.Wrong(problem.MissingDim, "along", "name it, as in `along: x`", "the array has %d dimensions, and `along` names none", len(t.Dims))
	}
	return 0, nil
}
