package linear

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"weft/kernels/ir"
	"weft/ops"
	"weft/ops/problem"
)

var newton = &ops.Spec{
	Name: "newton", Doc: "A real root of each of many polynomials.", Group: "linear algebra",
	Long: "Newton's method, x - p(x) / p'(x), from a start, for each element of the other dimensions by itself, until a step is at most until times " +
		"the larger of 1 and |x|. The first coefficient is that of power 0. Steps are computed in float64. A root where the derivative is 0 too is " +
		"found slowly. Where the derivative is 0 and the polynomial is not, where numbers are no longer finite, and after most steps, an element stops " +
		"without having converged. Elements that have stopped are no longer computed. Press et al., Numerical Recipes, 3rd edition, 9.4.",
	Returns: "root; converged, whether it is one; steps, how many were made: each over the other dimensions of the input.",
	Error:   ops.ErrorRule{Metric: ops.Peak, Tolerance: 1e-5},
	Params: []ops.Param{
		ops.In("input", "coefficients: plain real numbers").Of(""),
		ops.Param{Name: "over", Doc: "dimension of the powers", Accept: ops.KSymbol},
		ops.Num("from", "", "where to start: a number, or one for each element").Also(ops.KArray).Or(ops.Integer(0)),
		ops.Num("until", "", "largest step, relative, at which an element has converged").AtLeast(0).Or(ops.Number{V: 1e-6}),
		ops.Count("most", "steps at most").Within(1, 1e9).Or(ops.Integer(50)),
	},
	Examples: []ops.Example{{Title: "Square roots of 2 to 5", Code: "a = axis(a, 2 .. 5 in 4)\nk = axis(k, 0 .. 2 in 3)\n" +
		"r = newton(where(k == 0, 0 - a, where(k == 2, 1, 0)), over: k, from: 1)\nshow(r.root)\nshow(r.steps)"}},
	Bind: bindNewton,
}

// roots is a use of newton.
type roots struct {
	ops.Gives
	input  ops.Type
	powers int // which of its dims
	from   float64
	starts ops.Type // where they are an array
	until  float64
	most   int
}

func bindNewton(c *ops.Call) (ops.Op, error) {
	t := c.Type("input")
	r := &roots{input: t, powers: t.Dim(c.Symbol("over")), until: c.Number("until"), most: c.Int("most"), from: c.Number("from")}
	if t.Elem.Complex || t.Elem.Base == ir.Bool {
		return nil, problem.Wrong(problem.WrongElementType, "input", "", "`newton` needs real coefficients, and the input is %s", t)
	}
	if r.powers < 0 {
		return nil, problem.Wrong(problem.UnknownDim, "over", "name one of its dimensions", "the input has no dimension %s: it is %s", c.Symbol("over"), t)
	}
	if t.Len() == 0 {
		return nil, problem.Wrong(problem.WrongDims, "input", "", "`newton` needs coefficients, and the input is %s", t)
	}
	of := ops.Type{Elem: ops.ElemType{Base: ops.Inexact(t.Elem.Widen().Base)}, Dims: slices.Delete(slices.Clone(t.Dims), r.powers, r.powers+1)}
	if a, ok := c.Array("from"); ok {
		r.starts = a.Type()
		stray := func(d ops.Dim) bool { i := of.Dim(d.Name); return i < 0 || of.Dims[i].Size != d.Size }
		if r.starts.Elem.Complex || r.starts.Elem.Base == ir.Bool || slices.ContainsFunc(r.starts.Dims, stray) {
			return nil, problem.Wrong(problem.WrongDims, "from", "give a number, or a real array over dimensions of these", "starts for %s cannot be %s", of, r.starts)
		}
	}
	whether, count := of, of
	whether.Elem, count.Elem = ops.Bool, ops.I32
	r.Gives = ops.Gives{{Name: "root", Type: of}, {Name: "converged", Type: whether}, {Name: "steps", Type: count}}
	return r, nil
}

// The state of newton.
const (
	stateRoot = iota
	stateConverged
	stateSteps
	stateDone
	stateOrder
)

// Programs are the start and a step of each element, which are objects one after the other.
func (r *roots) Programs(l *ops.Lowering) ops.Drive {
	out, in, base := r.Gives[0].Type, l.In("input"), r.Gives[0].Type.Elem.Base
	elements := ops.Dim{Name: "object", Size: out.Len()}
	of := func(e ops.ElemType) ops.Type { return ops.Type{Elem: e, Dims: []ops.Dim{elements}} }
	x, converged, steps := l.State("x", of(out.Elem)), l.State("found", of(ops.Bool)), l.State("turns", of(ops.I32))
	done, order := l.State("done", of(ops.Bool)), l.State("order", of(ops.I32))
	// place is where an object stands among the elements.
	place := func(b *ops.Body, o *ir.Node) []*ir.Node {
		at := make([]*ir.Node, len(out.Dims))
		for i := len(at) - 1; i >= 0; i-- {
			at[i] = o
			if size := b.I32(out.Dims[i].Size); i > 0 {
				at[i], o = b.Mod(o, size), b.Div(o, size)
			}
		}
		return at
	}
	all := func(name string, e ops.ElemType, v float64) *ops.Stage {
		return l.Stage(name, of(e), nil, func(b *ops.Body, _ []*ir.Node) ops.Elem { return ops.Real(b.Const(e.Base, v)) })
	}
	first := all("from", out.Elem, r.from)
	if from := l.In("from"); from != nil {
		first = l.Stage("from", of(out.Elem), []*ops.Stage{from}, func(b *ops.Body, at []*ir.Node) ops.Elem {
			where := place(b, at[0])
			index := make([]*ir.Node, len(r.starts.Dims))
			for i, d := range r.starts.Dims {
				index[i] = where[out.Dim(d.Name)]
			}
			return ops.Real(b.Cast(base, from.At(b, index...).Re))
		})
	}
	// step is by how much an element moves, by Horner's rule from the highest power down.
	step := l.Stage("step", of(ops.F64), []*ops.Stage{x, order, in}, func(b *ops.Body, at []*ir.Node) ops.Elem {
		highest := r.input.Dims[r.powers].Size - 1
		here := b.Cast(ir.F64, x.At(b, at...).Re)
		where := place(b, order.At(b, at...).Re)
		p := b.Fold(ir.FoldSpec{Name: "power", Lo: b.I32(0), Hi: b.I32(highest + 1), Init: []*ir.Node{b.F64(0), b.F64(0)}}, func(k *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
			c := in.At(b, slices.Insert(slices.Clone(where), r.powers, b.Sub(b.I32(highest), k))...).Re
			return []*ir.Node{b.Add(b.Mul(acc[0], here), b.Cast(ir.F64, c)), b.Add(b.Mul(acc[1], here), acc[0])}, nil
		})
		zero := b.F64(0)
		return ops.Real(b.Select(b.Alu(ir.Eq, p[0], zero), zero, b.Neg(b.Div(p[0], p[1]))))
	})
	// small and stuck say of a step that it was the last.
	small := func(b *ops.Body, at []*ir.Node) *ir.Node {
		d, here := b.Abs(step.At(b, at...).Re), b.Abs(b.Cast(ir.F64, x.At(b, at...).Re))
		return b.Le(d, b.Mul(b.F64(r.until), b.Max(b.F64(1), here)))
	}
	stuck := func(b *ops.Body, at []*ir.Node) *ir.Node {
		d := step.At(b, at...).Re
		return b.Not(b.Lt(b.Abs(d), b.F64(math.Inf(1))))
	}
	reads := []*ops.Stage{x, step, done, steps, converged}
	// unless leaves alone what is done.
	unless := func(name string, s *ops.Stage, moved func(b *ops.Body, at []*ir.Node) *ir.Node) *ops.Stage {
		return l.Stage(name, s.Type, reads, func(b *ops.Body, at []*ir.Node) ops.Elem {
			return ops.Real(b.Select(done.At(b, at...).Re, s.At(b, at...).Re, moved(b, at)))
		})
	}
	return ops.Drive{
		State: []*ops.Stage{x, converged, steps, done, order},
		Start: []*ops.Stage{first, all("start.found", ops.Bool, 0), all("start.turns", ops.I32, 0), all("start.done", ops.Bool, 0), l.Objects(elements)},
		Calls: []ops.Program{{Name: "step", Most: r.most, Next: []*ops.Stage{
			unless("next", x, func(b *ops.Body, at []*ir.Node) *ir.Node {
				here := x.At(b, at...).Re
				return b.Select(stuck(b, at), here, b.Cast(base, b.Add(b.Cast(ir.F64, here), step.At(b, at...).Re)))
			}),
			unless("next.found", converged, small),
			unless("next.turns", steps, func(b *ops.Body, at []*ir.Node) *ir.Node { return b.Add(steps.At(b, at...).Re, b.I32(1)) }),
			unless("next.done", done, func(b *ops.Body, at []*ir.Node) *ir.Node { return b.Or(small(b, at), stuck(b, at)) }),
			nil,
		}}},
		Rounds: &ops.Rounds{Dim: elements.Name, Done: stateDone, Order: stateOrder},
	}
}

// Drive makes steps while elements are left.
func (r *roots) Drive(h ops.Host) (ops.Note, error) {
	left := 0
	for step := 1; step <= r.most; step++ {
		var err error
		if left, err = h.Round(0); err != nil {
			return ops.Note{}, err
		}
		if left == 0 {
			return ops.Note{Text: fmt.Sprintf("%d steps", step)}, nil
		}
		h.Progress(fmt.Sprintf("%d left", left))
	}
	return ops.Note{Text: fmt.Sprintf("%d steps, %d elements left", r.most, left), Warnings: []problem.Problem{
		problem.Wrong(problem.Unfinished, "most", "allow more steps with most, larger ones at the end with until, or start elsewhere with from",
			"newton stopped after %d steps, when %d of %d elements had not converged", r.most, left, r.Gives[0].Type.Len())}}, nil
}

// Reference makes the steps of each element in plain float64.
func (r *roots) Reference(in map[string]ops.Dense) ([]ops.Dense, error) {
	shape := r.Gives[0].Type.Shape()
	out := make([]ops.Dense, 3)
	for i := range out {
		out[i] = ops.Dense{Shape: shape, Re: make([]float64, r.Gives[0].Type.Len())}
	}
	apart := 1 // elements from one power to the next
	for _, d := range r.input.Dims[r.powers+1:] {
		apart *= d.Size
	}
	n := r.input.Dims[r.powers].Size
	coefficients := in["input"].Re
	if len(coefficients) != n*len(out[0].Re) {
		return nil, errors.New("coefficients of other elements")
	}
	for i := range out[0].Re {
		at, x := i/apart*apart*n+i%apart, r.from
		if starts := in["from"].Re; starts != nil {
			from, rest := 0, i
			place := make([]int, len(shape))
			for k := len(shape) - 1; k >= 0; k-- {
				place[k], rest = rest%shape[k], rest/shape[k]
			}
			for _, d := range r.starts.Dims {
				from = from*d.Size + place[r.Gives[0].Type.Dim(d.Name)]
			}
			x = starts[from]
		}
		for range r.most {
			p, slope := 0.0, 0.0
			for k := n - 1; k >= 0; k-- {
				p, slope = p*x+coefficients[at+k*apart], slope*x+p
			}
			d := -p / slope
			if p == 0 {
				d = 0
			}
			out[2].Re[i]++
			if math.IsNaN(d) || math.IsInf(d, 0) {
				break
			}
			found := math.Abs(d) <= r.until*max(1, math.Abs(x))
			if x += d; found {
				out[1].Re[i] = 1
				break
			}
		}
		out[0].Re[i] = x
	}
	return out, nil
}
