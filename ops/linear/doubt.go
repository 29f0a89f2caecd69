package linear

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"weft/kernels/ir"
	"weft/ops"
	"weft/ops/problem"
)

// The numbers that tell of what has no answer among some systems.
const (
	toldCount = iota // how many of them have none
	toldFirst        // the first one, in C order
	toldPivot        // its first pivot that is not fit
	toldValue        // what that is
	toldNumbers
)

// Doubt implements ops.Doubtful: it looks for systems with a pivot by which nothing can be divided, or which has no root. What is found at most once for a matrix is
// found here for it alone, whatever it is solved for.
func (s *small) Doubt(l *ops.Lowering) (*ops.Stage, ops.Op) {
	systems := s.xs[0].Type.Dims
	if slices.ContainsFunc(systems, func(d ops.Dim) bool { return d.Count != nil }) { // how many there are is known only when it runs
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
	value := found("pivot.value", ops.F64, func(_ *ops.Body, _ int, value *ir.Node) *ir.Node { return value })
	shape := ops.Type{Dims: systems}.Shape()
	count := ops.Type{Dims: systems}.Len()
	at := func(b *ops.Body, number *ir.Node) []*ir.Node {
		index := make([]*ir.Node, len(shape))
		for d, n := range slices.Backward(shape) {
			index[d], number = b.Mod(number, b.I32(n)), b.Div(number, b.I32(n))
		}
		return index
	}
	fold := func(b *ops.Body, monoid ir.Monoid, from int, step func(k, acc, wrong *ir.Node) *ir.Node) *ir.Node {
		return b.Fold(ir.FoldSpec{Name: "system", Lo: b.I32(0), Hi: b.I32(count), Init: []*ir.Node{b.I32(from)}, Monoid: monoid}, func(k *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
			return []*ir.Node{step(k, acc[0], b.Lt(pivot.At(b, at(b, k)...).Re, b.I32(s.n)))}, nil
		})[0]
	}
	first := l.Stage("first", ops.Type{Elem: ops.I32}, []*ops.Stage{pivot}, func(b *ops.Body, _ []*ir.Node) ops.Elem {
		return ops.Real(fold(b, ir.Smallest, count-1, func(k, acc, wrong *ir.Node) *ir.Node { return b.Min(acc, b.Select(wrong, k, b.I32(count-1))) }))
	})
	told := l.Stage("told", ops.Type{Elem: ops.F64, Dims: []ops.Dim{{Name: "number", Size: toldNumbers}}}, []*ops.Stage{first, pivot, value}, func(b *ops.Body, index []*ir.Node) ops.Elem {
		one := b.Max(b.I32(0), b.Min(first.At(b).Re, b.I32(count-1)))
		numbers := [toldNumbers]*ir.Node{
			toldCount: b.Cast(ir.F64, fold(b, ir.Sum, 0, func(_, acc, wrong *ir.Node) *ir.Node { return b.Add(acc, b.Select(wrong, b.I32(1), b.I32(0))) })),
			toldFirst: b.Cast(ir.F64, one),
			toldPivot: b.Cast(ir.F64, pivot.At(b, at(b, one)...).Re),
			toldValue: value.At(b, at(b, one)...).Re,
		}
		return ops.Real(chosen(b, numbers[:], index[0]))
	})
	return told, doubt{s.of, systems}
}

// doubt takes what is told of systems.
type doubt struct {
	of      *result
	systems []ops.Dim
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
	pivot := fmt.Sprintf("pivot %.0f is %.3g", told[toldPivot], told[toldValue])
	if total == 1 {
		return ops.Note{}, problem.Wrong(problem.Singular, "a", help, "%s: %s", none, pivot)
	}
	var where []string
	rest := int(told[toldFirst])
	for _, dim := range slices.Backward(d.systems) {
		where = append([]string{fmt.Sprintf("%s %d", dim.Name, rest%dim.Size)}, where...)
		rest /= dim.Size
	}
	p := problem.Wrong(problem.Singular, "a", help, "%.0f of the %d systems of `%s` have %s: of the first one, at %s, %s", told[toldCount], total, d.of.name, have, strings.Join(where, ", "), pivot)
	if int(told[toldCount]) == total {
		return ops.Note{}, p
	}
	p.Message += "; what is made of them is NaN or infinite"
	p.Help, p.Warning = "", true
	return ops.Note{Warnings: []problem.Problem{p}}, nil
}
