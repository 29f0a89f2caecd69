package shape

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"weft/ops/operand"

	"weft/kernels/ir"
	"weft/ops"
	"weft/ops/problem"
)

func joinSpecs() []*ops.Spec {
	arrays := ops.Param{Name: "arrays", Doc: "list of arrays", Accept: ops.KList | ops.KArray}
	stack := &ops.Spec{
		Name: "stack", Doc: "Several arrays of one shape along a new dimension.", Group: groupShape, Error: operand.Rounded,
		Long:     "The new dimension is the outermost. Arrays that lack a dimension of the others repeat along it.",
		Returns:  "an array over the new dimension and those of the arrays.",
		Params:   []ops.Param{arrays, {Name: "dim", Doc: "name of the new dimension", Accept: ops.KSymbol, Makes: true}},
		Examples: []ops.Example{{Title: "Sine and cosine", Code: "x = axis(x, 0 deg .. 360 deg in 9)\nshow(stack([sin(x), cos(x)], dim: part))"}},
		Bind:     bindStack,
	}
	concat := &ops.Spec{
		Name: "concat", Doc: "Several arrays one behind the other along a dimension.", Group: groupShape, Error: operand.Rounded,
		Long:     "All arrays have the dimension, and agree in the others. The dimension keeps its coordinates when all have them, equal ones too: of runs that overlap, leave out elements of one by a[x: 1 .. -1].",
		Returns:  "an array over the dimensions of the first.",
		Params:   []ops.Param{arrays, {Name: "dim", Doc: "dimension to join along", Accept: ops.KSymbol}},
		Examples: []ops.Example{{Title: "Two lines in one", Code: "a = axis(x, 0 mm .. 3 mm in 4)\nb = axis(x, 4 mm .. 9 mm in 6)\nshow(concat([a, b], dim: x))"}},
		Bind:     bindConcat,
	}
	return []*ops.Spec{stack, concat}
}

// joined is a use of stack or concat: where each array begins along dim, its length there and its operand.
type joined struct {
	out     ops.Type
	dim     int
	parts   []operand.Operand
	starts  []int
	lengths []int
}

// Outputs is one array.
func (p joined) Outputs() []ops.Output { return ops.One(p.out) }

// mostJoined is how many arrays one stage joins. An element looks at each of them, and compilers take long for that many branches: more are
// joined in groups first.
const mostJoined = 32

// Lower reads all parts, or groups of them.
func (p joined) Lower(l *ops.Lowering) []*ops.Stage {
	inputs := l.Lists["arrays"]
	for len(inputs) > mostJoined {
		p, inputs = p.groups(l, inputs)
	}
	s := p.stage(l, "", inputs)
	s.Steps = []string{l.Op.Spec.Name}
	return []*ops.Stage{s}
}

func (p joined) stage(l *ops.Lowering, name string, inputs []*ops.Stage) *ops.Stage {
	return l.Stage(name, p.out, inputs, func(b *ops.Body, index []*ir.Node) ops.Elem { return p.elem(b, inputs, index) })
}

// groups joins neighbours, and gives what is left to join.
func (p joined) groups(l *ops.Lowering, inputs []*ops.Stage) (of joined, stages []*ops.Stage) {
	of = joined{out: p.out, dim: p.dim}
	whole := operand.Operand{Pick: make([]int, len(p.out.Dims))}
	for i := range whole.Pick {
		whole.Pick[i] = i
	}
	for lo := 0; lo < len(inputs); lo += mostJoined {
		hi := min(lo+mostJoined, len(inputs))
		group := joined{out: p.out, dim: p.dim, parts: p.parts[lo:hi], lengths: p.lengths[lo:hi]}
		length := p.starts[hi-1] + p.lengths[hi-1] - p.starts[lo]
		group.out.Dims = slices.Clone(p.out.Dims)
		group.out.Dims[p.dim] = ops.Dim{Name: p.out.Dims[p.dim].Name, Size: length}
		for _, start := range p.starts[lo:hi] {
			group.starts = append(group.starts, start-p.starts[lo])
		}
		stages = append(stages, group.stage(l, fmt.Sprintf("%d", len(l.Made())), inputs[lo:hi]))
		of.parts, of.starts, of.lengths = append(of.parts, whole), append(of.starts, p.starts[lo]), append(of.lengths, length)
	}
	return of, stages
}

// elem reads every part where its guard holds and chooses among them.
func (p joined) elem(b *ops.Body, inputs []*ops.Stage, index []*ir.Node) ops.Elem {
	var out ops.Elem
	for k := len(p.parts) - 1; k >= 0; k-- {
		along := b.Sub(index[p.dim], b.I32(p.starts[k]))
		within := b.And(b.Le(b.I32(0), along), b.Lt(along, b.I32(p.lengths[k])))
		at := make([]*ir.Node, len(p.parts[k].Pick))
		for i, d := range p.parts[k].Pick {
			at[i] = index[d]
			if d == p.dim {
				at[i] = along
			}
		}
		x := ops.CCast(b, p.out.Elem.Base, inputs[k].AtOr(b, within, 0, at...))
		if out.Re == nil {
			out = x
			continue
		}
		out = ops.CSelect(b, within, x, out)
	}
	return out
}

// Reference finds the part of each element.
func (p joined) Reference(in map[string]ops.Dense) ([]ops.Dense, error) {
	out := ops.NewDense(p.out.Elem.Complex, p.out.Shape()...)
	for i, index := range ops.Indices(out.Shape) {
		k := 0
		for k+1 < len(p.starts) && index[p.dim] >= p.starts[k+1] {
			k++
		}
		a := in[ops.ReferenceKey("arrays", k)]
		at := 0
		for j, s := range a.Strides() {
			x := index[p.parts[k].Pick[j]]
			if p.parts[k].Pick[j] == p.dim {
				x -= p.starts[k]
			}
			at += x * s
		}
		out.Set(i, a.At(at))
	}
	return []ops.Dense{out}, nil
}

// members are the arrays of a list, with their common element type and unit.
func members(c *ops.Call) (xs []operand.Operand, t ops.Type, err error) {
	var errs []error
	for i, v := range c.List("arrays") {
		a, ok := v.(ops.Array)
		if !ok {
			errs = append(errs, problem.Wrong(problem.NotAnArray, fmt.Sprintf("arrays.%d", i), "fill makes an array of a number", "`%s` takes arrays, and this is %s", c.Spec.Name, v))
			continue
		}
		xs = append(xs, operand.Operand{Name: fmt.Sprintf("item %d", i), Value: a, Type: a.Type()})
	}
	if len(xs) == 0 && len(errs) == 0 {
		errs = append(errs, problem.Wrong(problem.NotAnArray, "arrays", "list at least one array", "`%s` of no arrays", c.Spec.Name))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, t, err
	}
	t.Elem = promoteKeepingBool(xs)
	t.Unit, err = operand.SameUnit(c.Spec.Name, xs)
	return xs, t, operand.About("arrays", err)
}

// promoteKeepingBool leaves masks masks.
func promoteKeepingBool(xs []operand.Operand) ops.ElemType {
	if slices.ContainsFunc(xs, func(x operand.Operand) bool { return x.Type.Elem.Base != ir.Bool }) {
		return operand.Promote(xs)
	}
	return ops.Bool
}

func bindStack(c *ops.Call) (ops.Op, error) {
	xs, t, err := members(c)
	if err != nil {
		return nil, err
	}
	name := c.Symbol("dim")
	dims, err := operand.Broadcast(c.Spec.Name, xs)
	if err != nil {
		return nil, operand.About("arrays", err)
	}
	if (ops.Type{Dims: dims}).Dim(name) >= 0 {
		return nil, problem.Wrong(problem.DuplicateDim, "dim", "choose another name, or concat them along it", "the arrays have a dimension %s already", name)
	}
	p := joined{parts: xs}
	for k := range xs {
		for i := range xs[k].Pick {
			xs[k].Pick[i]++
		}
		p.starts, p.lengths = append(p.starts, k), append(p.lengths, 1)
	}
	t.Dims = slices.Insert(dims, 0, ops.Dim{Name: name, Size: len(xs)})
	p.out = t
	return p, nil
}

func bindConcat(c *ops.Call) (ops.Op, error) {
	xs, t, err := members(c)
	if err != nil {
		return nil, err
	}
	name := c.Symbol("dim")
	along := ops.Dim{Name: name}
	p := joined{parts: xs}
	others := slices.Clone(xs)
	coords := true
	for k, x := range xs {
		d := x.Type.Dim(name)
		if d < 0 {
			return nil, operand.About("dim", operand.UnknownDim("dim", name, x.Type))
		}
		if len(x.Type.Dims) != len(xs[0].Type.Dims) {
			return nil, problem.Wrong(problem.WrongDims, fmt.Sprintf("arrays.%d", k), "", "this array has the dimensions %s, and the first %s",
				strings.Join(x.Type.DimNames(), ", "), strings.Join(xs[0].Type.DimNames(), ", "))
		}
		dim := x.Type.Dims[d]
		if err := operand.JoinFrames(&along, dim, "item 0", x.Name); err != nil {
			return nil, operand.About("arrays", err)
		}
		p.starts, p.lengths = append(p.starts, along.Size), append(p.lengths, dim.Size)
		along.Size += dim.Size
		along.Coords = append(along.Coords, dim.Coords...)
		coords = coords && dim.Coords != nil && dim.Unit.Same(xs[0].Type.Dims[xs[0].Type.Dim(name)].Unit)
		others[k].Type.Dims = slices.Clone(x.Type.Dims)
		others[k].Type.Dims[d] = ops.Dim{Name: name, Size: 1} // lengths along it may differ
	}
	dims, err := operand.Broadcast(c.Spec.Name, others)
	if err != nil {
		return nil, operand.About("arrays", err)
	}
	if len(dims) != len(xs[0].Type.Dims) {
		return nil, problem.Wrong(problem.WrongDims, "arrays", "", "the arrays have different dimensions")
	}
	p.dim = ops.Type{Dims: dims}.Dim(name)
	along.Unit = xs[0].Type.Dims[xs[0].Type.Dim(name)].Unit
	if !coords {
		along.Coords, along.Unit, along.Frame = nil, ops.Unit{}, nil
	}
	dims[p.dim] = along
	for k := range xs {
		xs[k].Pick = others[k].Pick
	}
	t.Dims = dims
	p.out = t
	return p, nil
}
