package array

import (
	"cmp"
	"math"
	"slices"

	"weft/kernels/ir"
	"weft/ops"
	"weft/ops/operand"
	"weft/ops/problem"
)

func createSpecs() []*ops.Spec {
	dim := func(doc string) ops.Param { return ops.Param{Name: "dim", Doc: doc, Accept: ops.KSymbol} }
	return []*ops.Spec{
		{
			Name: "axis", Doc: "A line of evenly spaced values that are their own coordinates.", Group: groupCreate, Error: operand.Rounded,
			Long: "Arrays over several dimensions are made of such lines by arithmetic: dimensions join by name. Whole numbers go in steps of 1 where " +
				"nothing else is said.",
			Returns: "a one-dimensional f32 array in the unit of the range.",
			Params: []ops.Param{dim("name of its dimension").New(),
				ops.Span("points", "*", "first and last value with a number of points or a step")},
			Examples: []ops.Example{{Title: "Squares over a plane", Code: "x = axis(x, -1 mm .. 1 mm in 3)\ny = axis(y, -1 mm .. 1 mm by 0.5 mm)\nshow(x ^ 2 + y ^ 2)"}},
			Bind:     bindAxis,
		},
		{
			Name: "coordinates", Doc: "The coordinates of a dimension, as an array along it.", Group: groupCreate, Error: operand.Rounded,
			Returns: "a one-dimensional array in the unit of the coordinates.",
			Params: []ops.Param{ops.In("input", "array"), dim("one of its dimensions"),
				ops.Choose("type", "its element type; left out, f32, or f64 where that would be off by more than 1/64 of the distance of neighbours, as of northings and of times since 1970", "f32", "f64").Opt()},
			Examples: []ops.Example{{Title: "Depth of the largest value", Code: "z = axis(z, 20 mm .. 40 mm in 21)\na = exp(-((z - 30 mm) / (2 mm)) ^ 2)\nshow(max(where(a >= 0.99, coordinates(a, z), 0)))"}},
			Bind:     bindCoordinates,
		},
		{
			Name: "indices", Doc: "The index along a dimension: 0, 1, 2 and so on.", Group: groupCreate, Error: operand.Exact,
			Returns:  "a one-dimensional i32 array.",
			Params:   []ops.Param{ops.In("input", "array"), dim("one of its dimensions")},
			Examples: []ops.Example{{Title: "Every other element", Code: "x = axis(x, 0 mm .. 5 mm in 6)\ni = indices(x, x)\nshow(where(i - 2 * floor(i / 2) > 0, x, 0))"}},
			Bind: func(c *ops.Call) (ops.Op, error) {
				d, err := oneDim(c)
				if err != nil {
					return nil, err
				}
				return counting{d}, nil
			},
		},
		{
			Name: "fill", Doc: "An array of one value.", Group: groupCreate, Error: operand.Rounded,
			Returns: "an array in the unit of the value: of integers for a whole number without unit, of f32 otherwise.",
			Params: []ops.Param{ops.Num("value", "*", "value of every element"), ops.Names("dims", "names of the dimensions; a single value without").New().Opt(),
				{Name: "extents", Doc: "their extents", Accept: ops.KList | ops.KNumber, Optional: true}},
			Examples: []ops.Example{{Title: "A constant speed of sound", Code: "fill(1540 m/s, dims: [x, z], extents: [4, 3]) | show"}},
			Bind:     bindFill,
		},
	}
}

// axis is a use of axis or coordinates: the coordinates of a dim as an array.
type axis struct {
	dim  ops.Dim
	elem ops.ElemType
}

// Outputs is one array.
func (v axis) Outputs() []ops.Output {
	return ops.One(ops.Type{Elem: v.elem, Dims: []ops.Dim{v.dim}, Unit: v.dim.Unit})
}

// Whole tells whether all of them are whole numbers.
func (v axis) Whole() bool {
	return !slices.ContainsFunc(v.dim.Coords, func(x float64) bool { return x != math.Trunc(x) })
}

// Shaped implements ops.Shaped.
func (axis) Shaped() {}

// Lower gives the coordinates, which are known.
func (v axis) Lower(l *ops.Lowering) []*ops.Stage {
	s := l.Constant("", v.Outputs()[0].Type, v.dim.Coords)
	switch {
	case slices.IsSorted(v.dim.Coords):
		s.Facts.Mono = 1
	case slices.IsSortedFunc(v.dim.Coords, func(a, b float64) int { return cmp.Compare(b, a) }):
		s.Facts.Mono = -1
	}
	return []*ops.Stage{s}
}

// Reference is the same.
func (v axis) Reference(map[string]ops.Dense) ([]ops.Dense, error) {
	return []ops.Dense{{Shape: []int{v.dim.Size}, Re: slices.Clone(v.dim.Coords)}}, nil
}

// counting is a use of indices: the dim that it counts along.
type counting struct{ dim ops.Dim }

// Outputs is one array.
func (v counting) Outputs() []ops.Output {
	return ops.One(ops.Type{Elem: ops.I32, Dims: []ops.Dim{v.dim}})
}

// Shaped implements ops.Shaped.
func (counting) Shaped() {}

// Lower gives the index.
func (v counting) Lower(l *ops.Lowering) []*ops.Stage {
	s := l.Stage("", v.Outputs()[0].Type, nil, func(_ *ops.Body, index []*ir.Node) ops.Elem { return ops.Real(index[0]) })
	s.Steps = []string{"indices"}
	return []*ops.Stage{s}
}

// Reference counts.
func (v counting) Reference(map[string]ops.Dense) ([]ops.Dense, error) {
	out := ops.NewDense(false, v.dim.Size)
	for i := range out.Re {
		out.Re[i] = float64(i)
	}
	return []ops.Dense{out}, nil
}

// filling is a use of fill.
type filling struct {
	out   ops.Type
	value operand.Operand
}

// Outputs is one array.
func (v filling) Outputs() []ops.Output { return ops.One(v.out) }

// Lower gives the value everywhere.
func (v filling) Lower(l *ops.Lowering) []*ops.Stage {
	return []*ops.Stage{l.Stage("", v.out, nil, func(b *ops.Body, _ []*ir.Node) ops.Elem { return v.value.Read(b, v.out.Elem.Base, nil) })}
}

// Reference does so element by element.
func (v filling) Reference(map[string]ops.Dense) ([]ops.Dense, error) {
	d := ops.NewDense(false, v.out.Shape()...)
	for i := range d.Re {
		d.Re[i] = v.value.SI()
	}
	return []ops.Dense{d}, nil
}

func bindAxis(c *ops.Call) (ops.Op, error) {
	r := c.Args["points"].(ops.Range)
	if r.N == 0 && r.Step == 0 && r.From.Int && r.To.Int {
		r.Step = 1
	}
	if r.N == 0 && r.Step == 0 {
		return nil, problem.Wrong(problem.RangeWithoutCount, "points", "write `"+r.String()+" in 64`, say, or a step behind `by`", "the range %s has no number of points", r)
	}
	points, err := operand.Points("points", r)
	if err != nil {
		return nil, err
	}
	return axis{ops.Dim{Name: c.Symbol("dim"), Size: len(points), Coords: points, Unit: r.From.Unit}, ops.F32}, nil
}

// oneDim finds the dim that the argument dim names.
func oneDim(c *ops.Call) (ops.Dim, error) {
	t, name := c.Type("input"), c.Symbol("dim")
	i := t.Dim(name)
	if i < 0 {
		return ops.Dim{}, operand.UnknownDim("dim", name, t)
	}
	return t.Dims[i], nil
}

func bindCoordinates(c *ops.Call) (ops.Op, error) {
	d, err := oneDim(c)
	switch {
	case err != nil:
		return nil, err
	case d.Coords == nil:
		return nil, problem.Wrong(problem.NoCoordinates, "dim", "give it coordinates by with_coordinates, or take indices", "dimension %s has no coordinates", d.Name)
	}
	if elem, given := ops.ParseElem(c.Symbol("type")); given {
		return axis{d, elem}, nil
	}
	return axis{d, toldApart(d.Coords)}, nil
}

// toldApart is the type that moves coordinates by no more than a 64th of their distance.
func toldApart(coords []float64) ops.ElemType {
	for i, v := range coords {
		if i > 0 && math.Abs(v)*0x1p-24 > math.Abs(v-coords[i-1])/64 {
			return ops.F64
		}
	}
	return ops.F32
}

// largestFill bounds what a fill may claim, so that its size in bytes is a number.
const largestFill = 1 << 40

func bindFill(c *ops.Call) (ops.Op, error) {
	var dims []ops.Dim
	open := -1
	var err error
	if c.Has("dims") || c.Has("extents") {
		dims, open, _, err = operand.NewDims(c, largestFill)
	}
	switch {
	case err != nil:
		return nil, err
	case open >= 0:
		return nil, problem.Wrong(problem.ZeroExtent, "extents", "", "the extent of %s is -1", dims[open].Name)
	}
	v := filling{value: operand.New("value", c.Args["value"])}
	v.out = v.value.Type
	v.out.Dims = dims
	return v, nil
}
