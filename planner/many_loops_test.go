package planner

import (
	"testing"

	"weft/kernels/ir"
	"weft/ops"
	"weft/planner/plan"
)

// A stage with a fold that another reads at many places would bind more loops than a kernel may: a verdict, with and without a model of the
// machine, for what is read once each time, too.
func TestMoreLoopsThanAKernelMayHoldAreAVerdict(t *testing.T) {
	const n, places = 1000, 150
	for name, opt := range map[string]Options{"by rates": {}, "by a model": {Cost: machine(1)}, "of a fast machine": {Cost: machine(1e-6)}} {
		w := &world{}
		sums := w.at("sums", grid("y", n), ir.Facts{}, func(b *ops.Body, i []*ir.Node) *ir.Node {
			return summed(b, b.I32(0), b.I32(64), func(j *ir.Node) *ir.Node { return sine(b, b.Mul(j, i[0])) })
		})
		apart := w.use("apart", grid("y", n/places), func(l *ops.Lowering) []*ops.Stage {
			in := l.In("a")
			return []*ops.Stage{l.Stage("", grid("y", n/places), []*ops.Stage{in}, func(b *ops.Body, i []*ir.Node) ops.Elem {
				sum := b.F32(0)
				for p := range places {
					sum = b.Add(sum, in.At(b, b.Add(b.Mul(i[0], b.I32(places)), b.I32(p))).Re)
				}
				return ops.Real(sum)
			})}
		}, sums)
		p := planned(t, opt, w.sink(apart))
		if len(p.Edges) != 1 || p.Edges[0].Code != plan.Budget {
			t.Errorf("%s: %+v", name, p.Edges)
		}
		if r := p.Reference(p.Kernels()[1].Kernel.Roots, func(*ops.Stage) bool { return true }, 0); r.Kernel == nil {
			t.Errorf("%s: no reference", name)
		}
	}
}
