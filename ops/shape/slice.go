package shape

import (
	"errors"
	"fmt"
	"math"
	"sort"
	"weft/ops/operand"

	"weft/kernels/ir"
	"weft/ops"
	"weft/ops/problem"
)

func sliceSpecs() []*ops.Spec {
	return []*ops.Spec{remapSpec(&ops.Spec{
		Name: "slice", Doc: "Part of an array: at an index or a coordinate, or over a range of them.", Group: groupShape,
		Long: "Written a[x: 3, y: 0 mm, z: 20 mm .. 30 mm]. A whole number without unit is an index: 0 is the first, -1 the last; of a computed " +
			"place, which is a fraction like every quotient, round makes one: a[x: round(n / 2)]. A quantity " +
			"is a coordinate and takes the nearest point; it may lie half a step outside. Either drops the dimension. A range keeps the " +
			"dimension, ends included: of indices, with `by` for a step, or of coordinates.",
		Returns: "an array without the dimensions that were given a single place.",
		Params: []ops.Param{ops.In("input", "array"),
			{Name: "index", Doc: "dimension: place, for each dimension to cut", Accept: ops.KList | ops.KPair}},
		Examples: []ops.Example{{Title: "By index, by coordinate and by range",
			Code: "x = axis(x, -2 mm .. 2 mm in 5)\ny = axis(y, 0 mm .. 3 mm in 4)\na = x + y\nshow(a[x: 0])\nshow(a[y: 2 mm])\nshow(a[x: -1 mm .. 1 mm, y: 0 .. 1])"}},
	}, planSlice)}
}

// cut is what remains of a dim: count points from start, every step-th.
type cut struct {
	start, step, count int
	drop               bool
}

func planSlice(c *ops.Call) (remap, error) {
	t := c.Type("input")
	cuts := make([]cut, len(t.Dims))
	for i, d := range t.Dims {
		cuts[i] = cut{0, 1, d.Size, false}
	}
	var errs []error
	seen := map[string]bool{}
	for _, v := range c.List("index") {
		p, ok := v.(ops.Pair)
		if !ok {
			errs = append(errs, problem.Wrong(problem.IndexWithoutDim, "index", "name it, such as x: 0", "the index %s names no dimension", v))
			continue
		}
		i := t.Dim(p.Name)
		switch {
		case i < 0:
			errs = append(errs, operand.UnknownDim("index."+p.Name, p.Name, t))
			continue
		case seen[p.Name]:
			errs = append(errs, problem.Wrong(problem.DuplicateDim, "index."+p.Name, "leave one out", "dimension %s is indexed twice", p.Name))
			continue
		}
		seen[p.Name] = true
		var err error
		cuts[i], err = cutDim(t.Dims[i], p.Value)
		errs = append(errs, operand.About("index."+p.Name, err))
	}
	if err := errors.Join(errs...); err != nil {
		return remap{}, err
	}
	var dims []ops.Dim
	for i, d := range t.Dims {
		if !cuts[i].drop {
			dims = append(dims, cuts[i].of(d))
		}
	}
	return remap{
		out: widened(t, dims),
		at: func(b *ops.Body, index []*ir.Node) []*ir.Node {
			at, k := make([]*ir.Node, len(cuts)), 0
			for i, c := range cuts {
				at[i] = b.I32(c.start)
				if !c.drop {
					at[i] = b.Add(b.Mul(index[k], b.I32(c.step)), b.I32(c.start))
					k++
				}
			}
			return at
		},
		ref: func(index []int) []int {
			at, k := make([]int, len(cuts)), 0
			for i, c := range cuts {
				at[i] = c.start
				if !c.drop {
					at[i] += index[k] * c.step
					k++
				}
			}
			return at
		},
	}, nil
}

// of is the dim after the cut.
func (c cut) of(d ops.Dim) ops.Dim {
	out := ops.Dim{Name: d.Name, Size: c.count, Unit: d.Unit, Frame: d.Frame}
	if d.Coords != nil {
		out.Coords = make([]float64, c.count)
		for i := range out.Coords {
			out.Coords[i] = d.Coords[c.start+i*c.step]
		}
	}
	return out
}

func cutDim(d ops.Dim, v ops.Value) (cut, error) {
	switch v := v.(type) {
	case ops.Number:
		if math.IsNaN(v.V) {
			return cut{}, problem.Wrong(problem.NotFiniteConstant, "index."+d.Name, "", "nan is no place along %s", d.Name)
		}
		if byIndex(v) {
			i, err := place(d, v)
			return cut{i, 1, 1, true}, err
		}
		i, err := nearest(d, v)
		return cut{i, 1, 1, true}, err
	case ops.Range:
		if v.N > 0 {
			return cut{}, problem.Wrong(problem.WrongKind, "index", "leave out `in ...`; `by` takes every so many", "a slice takes the points that are there, so %s cannot have a number of points", v)
		}
		if byIndex(v.From) && byIndex(v.To) {
			return cutIndices(d, v)
		}
		return cutCoords(d, v)
	}
	return cut{}, problem.Wrong(problem.WrongKind, "index", "", "dimension %s is indexed by a number or a range, not by %s", d.Name, v)
}

// byIndex tells indices from coordinates.
func byIndex(n ops.Number) bool { return n.Int && n.Unit.Plain() }

// place resolves an index, which counts from the end when it is negative.
func place(d ops.Dim, n ops.Number) (int, error) {
	i := int(n.V)
	if i < 0 {
		i += d.Size
	}
	if i < 0 || i >= d.Size {
		return 0, problem.Wrong(problem.IndexOutOfRange, "index", fmt.Sprintf("%s takes 0 to %d, or -%d to -1 from the end", d.Name, d.Size-1, d.Size),
			"there is no index %d: dimension %s has %d points", int(n.V), d.Name, d.Size)
	}
	return i, nil
}

// coordinates checks that a dim has coordinates of the unit of a number.
func coordinates(d ops.Dim, n ops.Number) error {
	switch {
	case d.Coords == nil && n.Unit.Plain():
		return problem.Wrong(problem.NotWhole, "index", "round it, or give the dimension coordinates by with_coordinates", "%s is not an index: dimension %s has no coordinates, so it is indexed by whole numbers", n, d.Name)
	case d.Coords == nil:
		return problem.Wrong(problem.NoCoordinates, "index", fmt.Sprintf("index it by a whole number from 0 to %d, or give it coordinates by with_coordinates", d.Size-1),
			"dimension %s has no coordinates, so %s is nowhere", d.Name, n)
	case !n.Unit.Same(d.Unit):
		return problem.Wrong(problem.UnitMismatch, "index", fmt.Sprintf("%s covers %s", d.Name, operand.Extent(d)), "the coordinates of %s are %s, and this is %s", d.Name, operand.InUnit(d.Unit), operand.InUnit(n.Unit))
	}
	return nil
}

// nearest finds the point next to a coordinate.
func nearest(d ops.Dim, n ops.Number) (int, error) {
	if err := coordinates(d, n); err != nil {
		return 0, err
	}
	best := 0
	for i, x := range d.Coords {
		if math.Abs(x-n.V) < math.Abs(d.Coords[best]-n.V) {
			best = i
		}
	}
	if math.Abs(d.Coords[best]-n.V) > halfStep(d, best)*(1+1e-9) {
		return 0, problem.Wrong(problem.OutsideCoordinates, "index", fmt.Sprintf("%s covers %s", d.Name, operand.Extent(d)), "%s is outside the coordinates of %s", n, d.Name)
	}
	return best, nil
}

// halfStep is half the distance to the farther neighbour of a point: how far from it a coordinate may lie. A lone point
// takes what rounds to it.
func halfStep(d ops.Dim, i int) float64 {
	h := 1e-9 * math.Abs(d.Coords[i])
	for _, k := range []int{i - 1, i + 1} {
		if k >= 0 && k < len(d.Coords) {
			h = max(h, math.Abs(d.Coords[k]-d.Coords[i])/2)
		}
	}
	return h
}

func cutIndices(d ops.Dim, r ops.Range) (cut, error) {
	from, err1 := place(d, r.From)
	to, err2 := place(d, r.To)
	if err := errors.Join(err1, err2); err != nil {
		return cut{}, err
	}
	step := int(r.Step)
	switch {
	case r.Step == 0:
		step = 1
	case r.Step < 0 || r.Step != float64(step):
		return cut{}, problem.Wrong(problem.BadStep, "index", "reverse turns a dimension round", "the step of indices must be a positive whole number, not %g", r.Step)
	}
	if to < from {
		return cut{}, problem.Wrong(problem.EmptyRange, "index", "reverse turns a dimension round", "the range %s of %s runs backwards and holds no points", r, d.Name)
	}
	return cut{from, step, (to-from)/step + 1, false}, nil
}

// cutCoords takes the points within a range of coordinates, which must rise or fall throughout.
func cutCoords(d ops.Dim, r ops.Range) (cut, error) {
	if err := errors.Join(coordinates(d, r.From), coordinates(d, r.To)); err != nil {
		return cut{}, err
	}
	if r.Step != 0 {
		return cut{}, problem.Wrong(problem.BadStep, "index", "leave out `by ...`, or write the range in indices", "a range of coordinates takes every point in it, so it has no step")
	}
	rising := sort.Float64sAreSorted(d.Coords)
	if !rising && !sort.SliceIsSorted(d.Coords, func(i, j int) bool { return d.Coords[i] > d.Coords[j] }) {
		return cut{}, problem.Wrong(problem.OutsideCoordinates, "index", "index it by whole numbers", "the coordinates of %s neither rise nor fall throughout", d.Name)
	}
	slack := 1e-9 * max(math.Abs(r.From.V), math.Abs(r.To.V))
	first, count := -1, 0
	for i, x := range d.Coords {
		if x >= r.From.V-slack && x <= r.To.V+slack {
			if first < 0 {
				first = i
			}
			count++
		}
	}
	if r.To.V < r.From.V {
		return cut{}, problem.Wrong(problem.EmptyRange, "index", "write "+ops.Range{From: r.To, To: r.From}.String(), "the range %s of %s runs backwards and holds no points", r, d.Name)
	}
	if count == 0 {
		return cut{}, problem.Wrong(problem.EmptyRange, "index", fmt.Sprintf("%s covers %s", d.Name, operand.Extent(d)), "no point of %s lies in %s", d.Name, r)
	}
	return cut{first, 1, count, false}, nil
}
