package planner

import (
	"maps"
	"testing"

	"weft/kernels/ir"
	"weft/kernels/ir/count"
	"weft/kernels/profile"
	"weft/ops"
	"weft/planner/bound"
	"weft/planner/plan"
)

// perKernel is how many operations a machine does in the time that a kernel takes to begin and to end.
const perKernel = 2e5

// executed are the operations of a plan's kernels with every loop where it is, weighted as the machine takes for them.
func executed(p *bound.Plan) (sum float64) {
	for _, s := range p.Kernels() {
		sum += perKernel
		times := count.Trips(s.Kernel.IR)
		s.Kernel.IR.Walk(func(n *ir.Node) {
			switch {
			case n.Kind == ir.KLoad:
				sum += times(n.Free())
			case n.Kind == ir.KAlu:
				sum += times(n.Free()) * float64(max(1, n.Op.Info().Flops))
			}
		})
	}
	return sum
}

func grid(name string, sizes ...int) ops.Type {
	t := ops.Type{Elem: ops.F32}
	for i, n := range sizes {
		t.Dims = append(t.Dims, ops.Dim{Name: name[i : i+1], Size: n})
	}
	return t
}

// at is an array by a formula over its indices as numbers, read in place or loaded.
func (w *world) at(name string, t ops.Type, facts ir.Facts, value func(b *ops.Body, i []*ir.Node) *ir.Node) ops.Array {
	return w.use(name, t, func(l *ops.Lowering) []*ops.Stage {
		s := l.Stage("", t, nil, func(b *ops.Body, i []*ir.Node) ops.Elem { return ops.Real(value(b, i)) })
		s.Facts = facts
		return []*ops.Stage{s}
	})
}

func sine(b *ops.Body, n *ir.Node) *ir.Node { return b.Alu(ir.Sin, b.Cast(ir.F32, n)) }

// contraction is a product of sines and logarithms: each operand is computed in place of a broadcast product that reads it once, by itself.
func (w *world) contraction(m, n, k int) ops.Array {
	a := w.at("sines", grid("mk", m, k), ir.Facts{}, func(b *ops.Body, i []*ir.Node) *ir.Node { return sine(b, b.Mul(i[0], i[1])) })
	c := w.at("cosines", grid("kn", k, n), ir.Facts{}, func(b *ops.Body, i []*ir.Node) *ir.Node { return sine(b, b.Add(i[0], i[1])) })
	product := w.use("product", grid("mnk", m, n, k), func(l *ops.Lowering) []*ops.Stage {
		x, y := l.In("a"), l.In("b")
		return []*ops.Stage{l.Stage("", grid("mnk", m, n, k), []*ops.Stage{x, y}, func(b *ops.Body, i []*ir.Node) ops.Elem {
			return ops.Real(b.Mul(x.At(b, i[0], i[2]).Re, y.At(b, i[2], i[1]).Re))
		})}
	}, a, c)
	return w.use("total", grid("mn", m, n), func(l *ops.Lowering) []*ops.Stage {
		x := l.In("a")
		return []*ops.Stage{l.Stage("", grid("mn", m, n), []*ops.Stage{x}, func(b *ops.Body, i []*ir.Node) ops.Elem {
			return ops.Real(summed(b, b.I32(0), b.I32(k), func(j *ir.Node) *ir.Node { return x.At(b, i[0], i[1], j).Re }))
		})}
	}, product)
}

func summed(b *ops.Body, lo, hi *ir.Node, term func(*ir.Node) *ir.Node) *ir.Node {
	return b.Fold(ir.FoldSpec{Lo: lo, Hi: hi, Init: []*ir.Node{b.F32(0)}, Monoid: ir.Sum}, func(j *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
		return []*ir.Node{b.Add(acc[0], term(j))}, nil
	})[0]
}

// ragged sums sines over the parts of a line, wherever its elements point: each is used many times, since the parts are long.
func (w *world) ragged(parts, elements, sines int) ops.Array {
	starts := w.note(w.at("starts", grid("c", parts+1), ir.Facts{Parts: elements}, func(b *ops.Body, i []*ir.Node) *ir.Node {
		return b.Cast(ir.F32, b.Mul(i[0], b.I32(elements/parts)))
	}), "keep")
	x := w.at("sines", grid("r", sines), ir.Facts{}, func(b *ops.Body, i []*ir.Node) *ir.Node { return sine(b, i[0]) })
	return w.use("total", grid("c", parts), func(l *ops.Lowering) []*ops.Stage {
		s, v := l.In("a"), l.In("b")
		return []*ops.Stage{l.Stage("", grid("c", parts), []*ops.Stage{s, v}, func(b *ops.Body, i []*ir.Node) ops.Elem {
			end := func(at *ir.Node) *ir.Node { return b.Cast(ir.I32, s.At(b, at).Re) }
			return ops.Real(summed(b, end(i[0]), end(b.Add(i[0], b.I32(1))), func(j *ir.Node) *ir.Node {
				return v.At(b, b.Alu(ir.Mod, b.Mul(j, b.I32(7919)), b.I32(sines))).Re
			}))
		})}
	}, starts, x)
}

// A verdict over a contraction or a ragged fold is not dearer than its opposite, which is forced, by the operations that kernels execute.
func TestVerdictsAreNoDearerThanTheirOpposites(t *testing.T) {
	for name, c := range map[string]struct {
		of     func(w *world) ops.Array
		stored string // that repeats would make dear
	}{
		"contraction":       {func(w *world) ops.Array { return w.contraction(300, 200, 400) }, "sines"},
		"short contraction": {func(w *world) ops.Array { return w.contraction(60, 50, 3) }, ""},
		"long parts":        {func(w *world) ops.Array { return w.ragged(100, 557_000, 10_000) }, "sines"},
		"short parts":       {func(w *world) ops.Array { return w.ragged(100, 1000, 10_000) }, ""},
	} {
		model := machine(1)
		model.Profile = profile.Default(2)
		build := func(forced map[string]bool) *bound.Plan {
			w := &world{}
			opt := Options{Cost: model}
			if forced != nil {
				opt.Decided = &plan.Decisions{Fused: forced}
			}
			return planned(t, opt, w.sink(c.of(w)))
		}
		p := build(nil)
		stored := false
		for _, e := range p.Edges {
			stored = stored || e.From == c.stored && !e.Code.Fused()
		}
		if c.stored != "" && !stored {
			t.Errorf("%s: %s are computed again wherever they are read", name, c.stored)
		}
		for edge := range p.Decided.Fused {
			forced := maps.Clone(p.Decided.Fused)
			forced[edge] = !forced[edge]
			other := build(forced)
			is, would := executed(p), executed(other)
			t.Logf("%s: %s fused %v: %g operations, %g the other way round", name, edge, p.Decided.Fused[edge], is, would)
			if is > 1.2*would {
				t.Errorf("%s: %s takes %g operations, and %g if it were decided the other way round", name, edge, is, would)
			}
		}
	}
}
