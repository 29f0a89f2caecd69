package places

import (
	"math"
	"slices"

	"weft/ops"
	"weft/ops/operand"
	"weft/ops/problem"
)

// extentSpecs are operators that say how a dimension lies.
func extentSpecs() []*ops.Spec {
	input := ops.In("input", "array")
	dim := ops.Param{Name: "dim", Doc: "one of its dimensions", Accept: ops.KSymbol}
	return []*ops.Spec{
		{
			Name: "size", Doc: "The extent of a dimension, or how many elements there are over several.", Group: "making arrays", Returns: "a whole number, of parts an array.",
			Params: []ops.Param{input, ops.Names("dim", "a dimension or a list of dimensions; all of them for all, or when left out; k in first .. last: how many of k are in "+
				"that part, for each element of the ends").Also(ops.KSegment).Opt()},
			Examples: []ops.Example{{Title: "Mean by hand", Code: "x = axis(x, 0 .. 3 in 4)\nshow(sum(x) / size(x, x))"}},
			Bind: ops.Make(func(c *ops.Call) (ops.Value, error) {
				t, n := c.Type("input"), 1
				places, err := operand.DimsNamed(c, "dim", t, false)
				for _, d := range places {
					n *= t.Dims[d].Size
				}
				return ops.Number{V: float64(n), Int: true}, err
			}),
			Counts: true,
			Expands: func(c *ops.Call) bool {
				return operand.Counted(c) || slices.ContainsFunc(c.List("dim"), func(v ops.Value) bool { return v.Kind() == ops.KSegment })
			},
			Expand: expandSize,
		},
		{
			Name: "spacing", Doc: "The distance of neighbours along a dimension.", Group: "making arrays",
			Long:    "It is negative where coordinates fall.",
			Returns: "a number in the unit of the coordinates.", Params: []ops.Param{input, dim},
			Examples: []ops.Example{{Title: "A slope", Code: "x = axis(x, 0 mm .. 3 mm in 7)\na = x ^ 2\nshow((a[x: here + 1, outside: nearest] - a) / spacing(a, x))"}},
			Bind: ops.Make(func(c *ops.Call) (ops.Value, error) {
				d, err := dimNamed(c)
				if err != nil {
					return nil, err
				}
				step, even := spacing(d)
				switch {
				case d.Coords == nil:
					return nil, problem.Wrong(problem.NoCoordinates, "dim", "give it coordinates by with_coordinates", "dimension %s has no coordinates", d.Name)
				case !even:
					return nil, problem.Wrong(problem.CoordinateMismatch, "dim", "take differences of coordinates(...)", "the coordinates of %s are not evenly spaced", d.Name)
				}
				return ops.Number{V: step, Unit: d.Unit.Sum(d.Unit, true)}, nil
			}),
		},
		{
			Name: "unit", Doc: "One, in the unit of an array or a number.", Group: "making arrays",
			Long:    "What is divided by it is a plain number, as many as there are of the unit: for what works with any unit, but needs plain numbers within, such as logarithms.",
			Returns: "a number in the unit of the input.", Params: []ops.Param{{Name: "input", Doc: "array or number", Accept: ops.KNumber | ops.KArray, Unit: "*"}},
			Examples: []ops.Example{{Title: "Lengths of a kind not known, on a scale of logarithms", Code: "a = axis(x, 1 mm .. 100 mm in 3)\nshow(log10(a / unit(a)))"}},
			Bind: ops.Make(func(c *ops.Call) (ops.Value, error) {
				n, _ := c.Args["input"].(ops.Number)
				if a, ok := c.Array("input"); ok {
					n.Unit = a.Type().Unit
				}
				u := n.Unit.Sum(n.Unit, true) // of temperatures, a degree
				return ops.Number{V: u.SI(), Unit: u}, nil
			}),
		},
		{
			Name: "bounds", Doc: "What the elements of an array are known to lie between before any is computed.", Group: "making arrays", Error: operand.Exact,
			Long: "Of files and generators their least and largest value are known, and what follows from these by arithmetic; NaN and infinite values apart. " +
				"Other arrays are between -inf and inf. What is left out because of it changes no result then, and saves work.",
			Returns: "a record of single values, low and high, f64 in the unit of the array.", Params: []ops.Param{input},
			Examples: []ops.Example{{Title: "Of a product", Code: "x = axis(x, -1 m .. 2 m in 4)\nshow(bounds(2 * x).high)"}},
			Bind:     bindBounds,
		},
	}
}

// expandSize counts what only a run knows: the elements of parts, and of dims that say how many there are, and with them those of the other dims.
func expandSize(c *ops.Call, e ops.Expander) (ops.Value, error) {
	var n ops.Value = ops.Integer(1)
	t, over := c.Type("input"), c.List("dim")
	if len(over) == 0 || len(over) == 1 && over[0] == ops.Symbol("all") {
		over = nil
		for _, d := range t.Dims {
			over = append(over, ops.Symbol(d.Name))
		}
	}
	for _, v := range over {
		name, _ := v.(ops.Symbol)
		part, parts := v.(ops.Segment)
		if parts {
			name = ops.Symbol(part.Dim)
		}
		d := t.Dim(string(name))
		if d < 0 {
			return nil, unknownDim("dim", string(name), t)
		}
		var count ops.Value = ops.Integer(t.Dims[d].Size)
		switch {
		case parts:
			length := e.Call(ops.Symbol("sub"), part.To, part.From)
			if length == nil {
				return nil, nil
			}
			count = e.Call(ops.Symbol("max"), ops.Integer(0), e.Call(ops.Symbol("add"), length, ops.Integer(1)))
		case t.Dims[d].Count != nil:
			count = *t.Dims[d].Count
		}
		if count == nil {
			return nil, nil
		}
		n = e.Call(ops.Symbol("mul"), n, count)
	}
	return n, nil
}

// within is a use of bounds.
type within struct {
	ops.Gives
	of ops.Array
}

func bindBounds(c *ops.Call) (ops.Op, error) {
	t := c.Type("input")
	if t.Elem.Complex {
		return nil, problem.Wrong(problem.WrongElementType, "input", "take abs, real or imag of it first", "complex numbers have no order: the input is %s", t)
	}
	a, _ := c.Array("input")
	out := ops.Type{Elem: ops.F64, Unit: t.Unit}
	return within{ops.Gives{{Name: "low", Type: out}, {Name: "high", Type: out}}, a}, nil
}

// known asks sources for their ranges.
func (w within) known() (lo, hi float64) {
	lo, hi, _, ok := ops.Bounds(w.of)
	if !ok {
		return math.Inf(-1), math.Inf(1)
	}
	return lo, hi
}

// Lower gives what is known.
func (w within) Lower(l *ops.Lowering) []*ops.Stage {
	lo, hi := w.known()
	return []*ops.Stage{l.Constant("low", w.Gives[0].Type, []float64{lo}), l.Constant("high", w.Gives[1].Type, []float64{hi})}
}

// Reference is the same.
func (w within) Reference(map[string]ops.Dense) ([]ops.Dense, error) {
	lo, hi := w.known()
	return []ops.Dense{{Re: []float64{lo}}, {Re: []float64{hi}}}, nil
}

// dimNamed is the dim that the argument dim names.
func dimNamed(c *ops.Call) (ops.Dim, error) {
	t, name := c.Type("input"), c.Symbol("dim")
	if i := t.Dim(name); i >= 0 {
		return t.Dims[i], nil
	}
	return ops.Dim{}, unknownDim("dim", name, t)
}

func unknownDim(arg, name string, t ops.Type) error {
	err := problem.Wrong(problem.UnknownDim, arg, "", "the array has no dimension `%s`; it has %v", name, t.DimNames())
	err.Known = t.DimNames()
	return err
}

// spacing is the distance of neighbours along a dim; ok is false where its coordinates are fewer than two or not evenly spaced.
func spacing(d ops.Dim) (step float64, ok bool) {
	step, uneven := d.Step(1e-6)
	return step, uneven < 0 && step != 0
}
