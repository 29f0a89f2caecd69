package linear

import (
	"context"
	"math"
	"slices"

	"weft/kernels/ir"
	"weft/ops"
	"weft/ops/problem"
)

// The numbers that tell of what has no answer among some systems.
const (
	toldCount = iota // how many of them have none
	toldFirst        // the number of the first one, in C order, times so many as there are pivots and one more, and its first pivot that is not fit
	toldValue        // of a single one, what that is
	toldNumbers
)

// Doubt implements ops.Doubtful: it looks for systems with a pivot by which nothing can be divided, or which has no root. What is found at most once for a matrix is
// found here for it alone, whatever it is solved for.
func (s *small) Doubt(l *ops.Lowering) (*ops.Stage, ops.Op) {
	systems := s.xs[0].Type.Dims
	known := !slices.ContainsFunc(systems, func(d ops.Dim) bool { return d.Count != nil }) // or how many there are is known only when it runs
	if !known || !l.Op.Own {
		return nil, nil
	}
	of := *s
	of.xs = slices.Clone(s.xs[:1])
	of.xs[0].Pick = nil
	for d := range systems {
		of.xs[0].Pick = append(of.xs[0].Pick, d)
	}
	in := []*ops.Stage{l.In("a")}
	found := func(name string, e ops.ElemType, pick func(b *ops.Body, pivot int, value *ir.Node) *ir.Node) *ops.Stage {
		return l.Stage(name, ops.Type{Elem: e, Dims: systems}, in, func(b *ops.Body, index []*ir.Node) ops.Elem {
			pivots := of.of.pivots(b, of.rows(b, in, index))
			x := pick(b, s.n, b.F64(0))
			for k, v := range slices.Backward(pivots) {
				size := v
				if !s.of.symmetric {
					size = b.Abs(v)
				}
				fit := b.And(b.Lt(b.F64(0), size), b.Lt(size, b.F64(math.Inf(1))))
				x = b.Select(fit, x, pick(b, k, v))
			}
			return ops.Real(x)
		})
	}
	pivot := found("pivot", ops.I32, func(b *ops.Body, pivot int, _ *ir.Node) *ir.Node { return b.I32(pivot) })
	from := []*ops.Stage{pivot}
	if len(systems) == 0 {
		from = append(from, found("pivot.value", ops.F64, func(_ *ops.Body, _ int, value *ir.Node) *ir.Node { return value }))
	}
	told := l.Stage("told", ops.Type{Elem: ops.F64, Dims: []ops.Dim{{Name: "number", Size: toldNumbers}}}, from, func(b *ops.Body, index []*ir.Node) ops.Elem {
		wrong := func(i []*ir.Node) *ir.Node { return b.Lt(pivot.At(b, i...).Re, b.I32(s.n)) }
		value := b.F64(0)
		if len(systems) == 0 {
			value = from[1].At(b).Re
		}
		numbers := [toldNumbers]*ir.Node{
			toldCount: counted(b, systems, wrong),
			toldFirst: foremost(b, systems, float64(s.n+1), func(i []*ir.Node) (*ir.Node, *ir.Node) { return wrong(i), b.Cast(ir.F64, pivot.At(b, i...).Re) }),
			toldValue: value,
		}
		return ops.Real(chosen(b, numbers[:], index[0]))
	})
	return told, doubt{s.of, systems, s.n}
}

// doubt takes what is told of systems.
type doubt struct {
	of      *result
	systems []ops.Dim
	pivots  int
}

// Outputs are none.
func (doubt) Outputs() []ops.Output { return nil }

// Inner implements ops.Inner: nothing leaves the program by it.
func (doubt) Inner() {}

// Take stops where there is no answer at all, and warns where there is none to some.
func (d doubt) Take(_ context.Context, in []ops.HostArray, _ ops.Terminal) (ops.Note, error) {
	var told [toldNumbers]float64
	for i := range told {
		told[i] = in[0].Float(i)
	}
	if told[toldCount] == 0 {
		return ops.Note{}, nil
	}
	total := ops.Type{Dims: d.systems}.Len()
	none, have, help := "there is no one solution", "no one solution", "leave out rows that follow from others, or add a little to the diagonal"
	if d.of.symmetric {
		none, have, help = "the matrix is not positive definite", "a matrix that is not positive definite", "a little added to the diagonal makes a matrix positive definite that is so but for rounding"
	}
	first, pivot := int(told[toldFirst])/(d.pivots+1), int(told[toldFirst])%(d.pivots+1)
	if len(d.systems) == 0 {
		return ops.Note{}, problem.Wrong(problem.Singular, "a", help, "%s: pivot %d is %.3g", none, pivot, told[toldValue])
	}
	p := problem.Wrong(problem.Singular, "a", help, "%.0f of the %d systems of `%s` have %s, the first one, at %s, for its pivot %d", told[toldCount], total, d.of.name, have, placeOf(first, d.systems), pivot)
	if int(told[toldCount]) == total {
		return ops.Note{}, p
	}
	p.Message += "; what is made of them is NaN or infinite"
	p.Help, p.Warning = "", true
	return ops.Note{Warnings: []problem.Problem{p}}, nil
}

// eachOf folds over all places of some dims.
func eachOf(b *ops.Body, dims []ops.Dim, index []*ir.Node, start float64, monoid ir.Monoid, join func(x, y *ir.Node) *ir.Node, term func(index []*ir.Node) *ir.Node) *ir.Node {
	d := len(index)
	if d == len(dims) {
		return term(index)
	}
	return b.Fold(ir.FoldSpec{Name: dims[d].Name, Lo: b.I32(0), Hi: b.I32(dims[d].Size), Init: []*ir.Node{b.F64(start)}, Monoid: monoid}, func(k *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
		return []*ir.Node{join(acc[0], eachOf(b, dims, append(slices.Clone(index), k), start, monoid, join, term))}, nil
	})[0]
}

// counted is at how many places of some dims something is so.
func counted(b *ops.Body, dims []ops.Dim, so func(index []*ir.Node) *ir.Node) *ir.Node {
	return eachOf(b, dims, nil, 0, ir.Sum, b.Add, func(i []*ir.Node) *ir.Node { return b.Select(so(i), b.F64(1), b.F64(0)) })
}

// foremost is the number of the first place of some dims where something is so, times a size, and a number below that size that it has there; -1: it is so nowhere.
func foremost(b *ops.Body, dims []ops.Dim, size float64, at func(index []*ir.Node) (so, number *ir.Node)) *ir.Node {
	first := eachOf(b, dims, nil, math.Inf(1), ir.Smallest, b.Min, func(i []*ir.Node) *ir.Node {
		so, number := at(i)
		place := b.F64(0)
		for d, k := range i {
			place = b.Add(b.Mul(place, b.F64(float64(dims[d].Size))), b.Cast(ir.F64, k))
		}
		return b.Select(so, b.Add(b.Mul(place, b.F64(size)), number), b.F64(math.Inf(1)))
	})
	return b.Select(b.Lt(first, b.F64(math.Inf(1))), first, b.F64(-1))
}
