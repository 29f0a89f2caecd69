package array

import (
	"cmp"
	"slices"

	"weft/kernels/ir"
	"weft/ops"
	"weft/ops/problem"
)

func createSpecs() []*ops.Spec {
	dim := func(doc string) ops.Param { return ops.Param{Name: "dim", Doc: doc, Accept: ops.KSymbol} }
	return []*ops.Spec{
		{
			Name: "axis", Doc: "A line of evenly spaced values that are their own coordinates.", Group: groupCreate, Error: rounded,
			Long:    "Arrays over several dimensions are made of such lines by arithmetic: dimensions join by name.",
			Returns: "a one-dimensional f32 array in the unit of the range.",
			Params: []ops.Param{dim("name of its dimension"),
				ops.Span("points", "*", "first and last value with a number of points or a step")},
			Examples: []ops.Example{{Title: "Squares over a plane", Code: "x = axis(x, -1 mm .. 1 mm in 3)\ny = axis(y, -1 mm .. 1 mm by 0.5 mm)\nshow(x ^ 2 + y ^ 2)"}},
			Infer:    inferAxis,
			Lower: func(l *ops.Lowering) []*ops.Stage {
				d := l.Op.Out[0].Type.Dims[0]
				return []*ops.Stage{lineOf(l, d)}
			},
			Reference: func(c *ops.Call, _ map[string]ops.Dense) ([]ops.Dense, error) {
				points := c.Args["points"].(ops.Range).Points()
				return []ops.Dense{{Shape: []int{len(points)}, Re: points}}, nil
			},
		},
		{
			Name: "coordinates", Doc: "The coordinates of a dimension, as an array along it.", Group: groupCreate, Error: rounded,
			Returns:  "a one-dimensional f32 array in the unit of the coordinates.",
			Params:   []ops.Param{ops.In("input", "array"), dim("one of its dimensions")},
			Examples: []ops.Example{{Title: "Depth of the largest value", Code: "z = axis(z, 20 mm .. 40 mm in 21)\na = exp(-((z - 30 mm) / (2 mm)) ^ 2)\nshow(max(where(a >= 0.99, coordinates(a, z), 0)))"}},
			Infer:    inferCoordinates,
			Lower: func(l *ops.Lowering) []*ops.Stage {
				return []*ops.Stage{lineOf(l, l.Op.Out[0].Type.Dims[0])}
			},
			Reference: func(c *ops.Call, _ map[string]ops.Dense) ([]ops.Dense, error) {
				t := c.Type("input")
				d := t.Dims[t.Dim(c.Symbol("dim"))]
				return []ops.Dense{{Shape: []int{d.Size}, Re: slices.Clone(d.Coords)}}, nil
			},
		},
		{
			Name: "indices", Doc: "The index along a dimension: 0, 1, 2 and so on.", Group: groupCreate, Error: exact,
			Returns:  "a one-dimensional i32 array.",
			Params:   []ops.Param{ops.In("input", "array"), dim("one of its dimensions")},
			Examples: []ops.Example{{Title: "Every other element", Code: "x = axis(x, 0 mm .. 5 mm in 6)\ni = indices(x, x)\nshow(where(i - 2 * floor(i / 2) > 0, x, 0))"}},
			Infer: func(c *ops.Call) ([]ops.Output, error) {
				d, err := oneDim(c)
				if err != nil {
					return nil, err
				}
				return []ops.Output{{Type: ops.Type{Elem: ops.I32, Dims: []ops.Dim{d}}}}, nil
			},
			Lower: func(l *ops.Lowering) []*ops.Stage {
				s := l.Stage("", l.Op.Out[0].Type, nil, func(_ *ops.Body, index []*ir.Node) ops.Elem { return ops.Real(index[0]) })
				s.Steps = []string{"indices"}
				return []*ops.Stage{s}
			},
			Reference: func(c *ops.Call, _ map[string]ops.Dense) ([]ops.Dense, error) {
				t := c.Type("input")
				out := ops.NewDense(false, t.Dims[t.Dim(c.Symbol("dim"))].Size)
				for i := range out.Re {
					out.Re[i] = float64(i)
				}
				return []ops.Dense{out}, nil
			},
		},
		{
			Name: "fill", Doc: "An array of one value.", Group: groupCreate, Error: rounded,
			Returns: "an array in the unit of the value: of integers for a whole number without unit, of f32 otherwise.",
			Params: []ops.Param{ops.Num("value", "*", "value of every element"), ops.Names("dims", "names of the dimensions"),
				{Name: "extents", Doc: "their extents", Accept: ops.KList | ops.KNumber}},
			Examples: []ops.Example{{Title: "A constant speed of sound", Code: "fill(1540 m/s, dims: [x, z], extents: [4, 3]) | show"}},
			Infer:    inferFill,
			Lower: func(l *ops.Lowering) []*ops.Stage {
				t, v := l.Op.Out[0].Type, newOperand("value", l.Args["value"])
				return []*ops.Stage{l.Stage("", t, nil, func(b *ops.Body, _ []*ir.Node) ops.Elem { return v.read(b, t.Elem.Base, nil) })}
			},
			Reference: func(c *ops.Call, _ map[string]ops.Dense) ([]ops.Dense, error) {
				out, err := inferFill(c)
				if err != nil {
					return nil, err
				}
				d := ops.NewDense(false, out[0].Type.Shape()...)
				for i := range d.Re {
					d.Re[i] = c.Number("value")
				}
				return []ops.Dense{d}, nil
			},
		},
	}
}

// lineOf defines the coordinates of a dim as an array.
func lineOf(l *ops.Lowering, d ops.Dim) *ops.Stage {
	s := l.Constant("", l.Op.Out[0].Type, d.Coords)
	switch {
	case slices.IsSorted(d.Coords):
		s.Facts.Mono = 1
	case slices.IsSortedFunc(d.Coords, func(a, b float64) int { return cmp.Compare(b, a) }):
		s.Facts.Mono = -1
	}
	return s
}

func lineType(d ops.Dim) ops.Type { return ops.Type{Elem: ops.F32, Dims: []ops.Dim{d}, Unit: d.Unit} }

func inferAxis(c *ops.Call) ([]ops.Output, error) {
	r := c.Args["points"].(ops.Range)
	if r.N == 0 && r.Step == 0 {
		return nil, problem.Wrong(problem.RangeWithoutCount, "points", "write `"+r.String()+" in 64`, say, or a step behind `by`", "the range %s has no number of points", r)
	}
	points, err := pointsOf("points", r)
	if err != nil {
		return nil, err
	}
	return []ops.Output{{Type: lineType(ops.Dim{Name: c.Symbol("dim"), Size: len(points), Coords: points, Unit: r.From.Unit})}}, nil
}

// mostPoints bounds the coordinates of a dim, which are held in memory while the program is checked.
const mostPoints = 1 << 24

// pointsOf are the points of a range that an argument gives.
func pointsOf(arg string, r ops.Range) ([]float64, error) {
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

// oneDim finds the dim that the argument dim names.
func oneDim(c *ops.Call) (ops.Dim, error) {
	t, name := c.Type("input"), c.Symbol("dim")
	i := t.Dim(name)
	if i < 0 {
		return ops.Dim{}, unknownDim("dim", name, t)
	}
	return t.Dims[i], nil
}

func inferCoordinates(c *ops.Call) ([]ops.Output, error) {
	d, err := oneDim(c)
	switch {
	case err != nil:
		return nil, err
	case d.Coords == nil:
		return nil, problem.Wrong(problem.NoCoordinates, "dim", "give it coordinates by with_coordinates, or take indices", "dimension %s has no coordinates", d.Name)
	}
	return []ops.Output{{Type: lineType(d)}}, nil
}

// largestFill bounds what a fill may claim, so that its size in bytes is a number.
const largestFill = 1 << 40

func inferFill(c *ops.Call) ([]ops.Output, error) {
	dims, open, _, err := newDims(c, largestFill)
	switch {
	case err != nil:
		return nil, err
	case open >= 0:
		return nil, problem.Wrong(problem.ZeroExtent, "extents", "", "the extent of %s is -1", dims[open].Name)
	}
	t := newOperand("value", c.Args["value"]).typ
	t.Dims = dims
	return []ops.Output{{Type: t}}, nil
}
