package session

import (
	"math"
	"slices"

	"weft/kernels/ir"
	"weft/ops"
)

// Operators that only tests have: an array read at computed places, which the language has no form for yet, and tables.

// defined is a use of an operator whose result is a stage that reads its array arguments.
type defined struct {
	ops.Gives
	params []string
	elem   func(in map[string]*ops.Stage, b *ops.Body, at []*ir.Node) ops.Elem
}

func (d defined) Lower(l *ops.Lowering) []*ops.Stage {
	var inputs []*ops.Stage
	for _, p := range d.params {
		inputs = append(inputs, l.In(p))
	}
	return []*ops.Stage{l.Stage("", d.Gives[0].Type, inputs, func(b *ops.Body, at []*ir.Node) ops.Elem { return d.elem(l.Inputs, b, at) })}
}

// table is a use that gives numbers.
type table struct {
	ops.Gives
	data []float64
}

func (t table) Lower(l *ops.Lowering) []*ops.Stage {
	return []*ops.Stage{l.Constant("", t.Gives[0].Type, t.data)}
}

// joined are the dims of several arrays by name, and where those of each are among them.
func joined(types ...ops.Type) (dims []ops.Dim, pick [][]int) {
	for _, t := range types {
		var own []int
		for _, d := range t.Dims {
			i := ops.Type{Dims: dims}.Dim(d.Name)
			if i < 0 {
				i = len(dims)
				dims = append(dims, d)
			}
			own = append(own, i)
		}
		pick = append(pick, own)
	}
	return dims, pick
}

func picked(at []*ir.Node, pick []int) []*ir.Node {
	out := make([]*ir.Node, len(pick))
	for i, p := range pick {
		out[i] = at[p]
	}
	return out
}

// whole is a whole number as an index.
func whole(b *ops.Body, x *ir.Node) *ir.Node {
	if x.Type.Float() {
		return b.Cast(ir.I32, x)
	}
	return x
}

var places = []*ops.Spec{
	{
		Name: "take", Doc: "An array at fractional places of a dim, interpolated; 0 outside.", Group: "test",
		Params: []ops.Param{ops.In("input", "array"), ops.In("place", "fractional indices"), {Name: "dim", Doc: "dim", Accept: ops.KSymbol}},
		Bind: func(c *ops.Call) (ops.Op, error) {
			in, place := c.Type("input"), c.Type("place")
			d := in.Dim(c.Symbol("dim"))
			dropped := ops.Type{Dims: slices.Delete(slices.Clone(in.Dims), d, d+1)}
			dims, pick := joined(place, dropped)
			n := in.Dims[d].Size
			return defined{ops.One(ops.Type{Elem: in.Elem, Dims: dims, Unit: in.Unit}), []string{"input", "place"}, func(s map[string]*ops.Stage, b *ops.Body, at []*ir.Node) ops.Elem {
				x := s["place"].At(b, picked(at, pick[0])...).Re
				low := b.Alu(ir.Floor, x)
				part, i := b.Sub(x, low), b.Cast(ir.I32, low)
				sample := func(i *ir.Node) ops.Elem {
					inside := b.And(b.Le(b.I32(0), i), b.Lt(i, b.I32(n)))
					index := slices.Insert(picked(at, pick[1]), d, i)
					return s["input"].AtOr(b, inside, 0, index...)
				}
				p, q := sample(i), sample(b.Add(i, b.I32(1)))
				mix := func(p, q *ir.Node) *ir.Node { return b.Add(p, b.Mul(part, b.Sub(q, p))) }
				return ops.Elem{Re: mix(p.Re, q.Re), Im: mix(p.Im, q.Im)}
			}}, nil
		},
	},
	{
		Name: "around", Doc: "An array so many rows and columns from where the result stands; -inf outside.", Group: "test",
		Params: []ops.Param{ops.In("input", "array", "y", "x"), ops.In("rows", "whole numbers"), ops.In("columns", "whole numbers")},
		Bind: func(c *ops.Call) (ops.Op, error) {
			in := c.Type("input")
			dims, pick := joined(in, c.Type("rows"), c.Type("columns"))
			return defined{ops.One(ops.Type{Elem: in.Elem, Dims: dims, Unit: in.Unit}), []string{"input", "rows", "columns"}, func(s map[string]*ops.Stage, b *ops.Body, at []*ir.Node) ops.Elem {
				y := b.Add(at[0], whole(b, s["rows"].At(b, picked(at, pick[1])...).Re))
				x := b.Add(at[1], whole(b, s["columns"].At(b, picked(at, pick[2])...).Re))
				in := func(i *ir.Node, n int) *ir.Node { return b.And(b.Le(b.I32(0), i), b.Lt(i, b.I32(n))) }
				return s["input"].AtOr(b, b.And(in(y, dims[0].Size), in(x, dims[1].Size)), math.Inf(-1), y, x)
			}}, nil
		},
	},
	{
		Name: "normal", Doc: "The sums of products of the first values of rows, each by a loop of its own, and the products' total.", Group: "test",
		Params: []ops.Param{ops.In("input", "array", "term", "pixel", "v"), ops.Count("terms", "how many"), ops.Choose("how", "how", "apart", "together")},
		Bind: func(c *ops.Call) (ops.Op, error) {
			in, n := c.Type("input"), c.Int("terms")
			out := ops.Type{Elem: in.Elem, Dims: []ops.Dim{in.Dims[2]}}
			return defined{ops.One(out), []string{"input"}, func(s map[string]*ops.Stage, b *ops.Body, at []*ir.Node) ops.Elem {
				pairs := [][2]int{}
				for i := range n {
					for j := range i + 1 {
						pairs = append(pairs, [2]int{i, j})
					}
				}
				fold := func(pairs [][2]int) []*ir.Node {
					spec := ir.FoldSpec{Lo: b.I32(0), Hi: b.I32(in.Dims[1].Size), Monoid: ir.Sum}
					for range pairs {
						spec.Init = append(spec.Init, b.F32(0))
					}
					return b.Fold(spec, func(p *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
						out := make([]*ir.Node, len(pairs))
						for k, ij := range pairs {
							v := func(i int) *ir.Node { return s["input"].At(b, b.I32(i), p, at[0]).Re }
							out[k] = b.Add(acc[k], b.Mul(v(ij[0]), v(ij[1])))
						}
						return out, nil
					})
				}
				var sums []*ir.Node
				if c.Symbol("how") == "together" {
					sums = fold(pairs)
				} else {
					for i := range pairs {
						sums = append(sums, fold(pairs[i:i+1])...)
					}
				}
				total := b.F32(0)
				for i, x := range sums {
					total = b.Add(total, b.Mul(x, b.F32(float64(i%7)-3)))
				}
				return ops.Real(total)
			}}, nil
		},
	},
	{
		Name: "element_at", Doc: "Coordinates of the elements of a matrix probe of 32 x 32.", Group: "test",
		Params: []ops.Param{ops.Choose("along", "axis", "x", "y")},
		Bind: func(c *ops.Call) (ops.Op, error) {
			var data []float64
			for e := range 1024 {
				i := map[string]int{"x": e % 32, "y": e / 32}[c.Symbol("along")]
				data = append(data, (float64(i)-15.5)*0.3e-3)
			}
			t := ops.Type{Elem: ops.F32, Dims: []ops.Dim{{Name: "element", Size: len(data)}}, Unit: ops.MustUnit("m")}
			return table{ops.One(t), data}, nil
		},
	},
}
