package array

import (
	"errors"
	"slices"

	"weft/kernels/ir"
	"weft/ops"
	"weft/ops/operand"
	"weft/ops/problem"
)

func filledSpec() *ops.Spec {
	return &ops.Spec{
		Name: "filled", Doc: "All elements along a dimension of which only a run knows how many there are, with a value behind the last.", Group: groupCompare, Error: operand.Rounded,
		Long:    "What `leading`, `pack` and `scan` leave becomes an array of a size that is known, which every operator takes: as many elements as there is room for.",
		Returns: "an array of the same dimensions.",
		Params: []ops.Param{ops.In("a", "array"),
			{Name: "with", Doc: "what follows the last element: a number, a truth value, or an array of one element", Accept: ops.KNumber | ops.KBool | ops.KArray, Unit: "*"},
			{Name: "along", Doc: "dimension; may be left out where there is only one", Accept: ops.KSymbol, Optional: true}},
		Examples: []ops.Example{{Title: "Found, and not found", Code: "x = axis(x, 0 .. 7 in 8)\nhigh = pack(x, sin(x) > 0.5).value\nshow(filled(high, with: -1))"}},
		Bind:     bindFilled, Counts: true,
	}
}

// filled is a use of filled.
type filled struct {
	ops.Gives
	of     ops.Array
	part   *operand.Segment
	fill   float64
	number bool // the fill is one
}

func bindFilled(c *ops.Call) (ops.Op, error) {
	t := c.Type("a")
	along, err := operand.Line(c, t)
	if err != nil {
		return nil, err
	}
	d := t.Dims[along]
	if d.Count == nil {
		return nil, problem.Wrong(problem.WrongDims, "a", "leave `filled` out", "how many elements there are along %s is known: it is %s", d.Name, t)
	}
	f := &filled{number: true}
	f.of, _ = c.Array("a")
	if with, array := c.Args["with"].(ops.Array); !array {
		f.fill, err = operand.Element(c, "with", t)
	} else if f.number = false; len(with.Type().Dims) > 0 || with.Type().Elem.Widen() != t.Elem.Widen() || !with.Type().Unit.Same(t.Unit) {
		err = problem.Wrong(problem.WrongElementType, "with", "", "an element to fill with is one of the array's type and unit: this is %s, and the array %s", with.Type(), t)
	}
	c.Args["along"] = ops.Segment{Dim: d.Name, From: ops.Integer(0), To: *d.Count, Count: true}
	part, partErr := operand.NewSegment(c.Args["along"].(ops.Segment), "along", t, []int{along})
	if err := errors.Join(err, partErr); err != nil {
		return nil, err
	}
	f.part = part
	t.Elem, t.Dims = t.Elem.Widen(), slices.Clone(t.Dims)
	t.Dims[along].Count = nil
	f.Gives = ops.One(t)
	return f, nil
}

// Lower reads an element in a loop of one turn, which is not made where there is none: what lies behind the last may be anything, places too.
func (f *filled) Lower(l *ops.Lowering) []*ops.Stage {
	in, out, ends := l.In("a"), f.Gives[0].Type, l.Lists["along"]
	inputs := append([]*ops.Stage{in}, ends...)
	if !f.number {
		inputs = append(inputs, l.In("with"))
	}
	s := l.Stage("", out, inputs, func(b *ops.Body, at []*ir.Node) ops.Elem {
		lines := slices.Delete(slices.Clone(at), f.part.Dim, f.part.Dim+1)
		_, count := f.part.Loop(b, ends, lines, out.Dims[f.part.Dim].Size)
		fill := ops.Elem{Re: b.Const(out.Elem.Base, f.fill)}
		if !f.number {
			fill = l.In("with").At(b)
		} else if out.Elem.Complex {
			fill.Im = b.Const(out.Elem.Base, 0)
		}
		i := at[f.part.Dim]
		_, state := b.Loops(1, func([]*ir.Node) (lo, hi *ir.Node) { return i, b.Min(b.Add(i, b.I32(1)), count) }, nil, parts(b, fill, out.Elem.Complex),
			func(steps, _ []*ir.Node) []*ir.Node {
				there := slices.Clone(at)
				there[f.part.Dim] = steps[0]
				return parts(b, ops.CCast(b, out.Elem.Base, in.At(b, there...)), out.Elem.Complex)
			})
		return ops.ElemOf(state)
	})
	s.Exact = true
	return []*ops.Stage{s}
}

// Whole tells whether they are whole numbers.
func (f *filled) Whole() bool {
	return ops.IsWhole(f.of) && f.number && f.fill == float64(int64(f.fill))
}

// Reference puts the fill behind the last element.
func (f *filled) Reference(in map[string]ops.Dense) ([]ops.Dense, error) {
	a := in["a"]
	out := ops.NewDense(a.Im != nil, a.Shape...)
	for i, index := range ops.Indices(a.Shape) {
		line := slices.Delete(slices.Clone(index), f.part.Dim, f.part.Dim+1)
		if index[f.part.Dim] <= f.part.At(inAlong(in), line)[1] {
			out.Set(i, a.At(i))
		} else if f.number {
			out.Set(i, complex(f.fill, 0))
		} else {
			out.Set(i, in["with"].At(0))
		}
	}
	return []ops.Dense{out}, nil
}

// inAlong are the ends of a part under the names that they have for a reduction.
func inAlong(in map[string]ops.Dense) map[string]ops.Dense {
	return map[string]ops.Dense{ops.ReferenceKey("over", 0): in[ops.ReferenceKey("along", 0)]}
}
