package runtime

import (
	"testing"

	"weft/kernels/ir"
	"weft/ops"
)

// decay is a sum down the rows that forgets, and how often it was above 4, which is a state of two types.
func (w *streams) decay(in ops.Array) ops.Array {
	t := in.Type()
	return w.lowered("decay", t, func(l *ops.Lowering) []*ops.Stage {
		s := &ops.Scan{Dims: t.Dims, Start: func(b *ops.Body, at []*ir.Node) []*ir.Node {
			return []*ir.Node{b.Cast(ir.F32, at[1]), b.I32(0)}
		}, Step: func(b *ops.Body, at, state []*ir.Node) []*ir.Node {
			v := l.In("a").At(b, at...).Re
			v = b.Add(b.Mul(state[0], b.F32(0.7)), b.Select(b.Alu(ir.Eq, v, v), v, b.F32(1)))
			return []*ir.Node{v, b.Add(state[1], b.Cast(ir.I32, b.Lt(b.F32(4), v)))}
		}}
		return []*ops.Stage{l.Scan("", t.Elem, t.Unit, []*ops.Stage{l.In("a")}, s, func(b *ops.Body, _, after []*ir.Node) ops.Elem {
			return ops.Real(b.Add(after[0], b.Cast(ir.F32, after[1])))
		})}
	}, in)
}

// last is where the sum of decay ends, over each column.
func (w *streams) last(in ops.Array) ops.Array {
	t := ops.Type{Elem: ops.F32, Dims: in.Type().Dims[1:]}
	n := in.Type().Dims[0].Size
	return w.lowered("last", t, func(l *ops.Lowering) []*ops.Stage {
		return []*ops.Stage{l.Stage("", t, []*ops.Stage{l.In("a")}, func(b *ops.Body, i []*ir.Node) ops.Elem {
			return ops.Real(b.Sqrt(b.Fold(ir.FoldSpec{Lo: b.I32(0), Hi: b.I32(n), Init: []*ir.Node{b.F32(3)}}, func(y *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
				return []*ir.Node{b.Add(b.Mul(acc[0], b.F32(0.7)), b.Abs(l.In("a").At(b, append([]*ir.Node{y}, i...)...).Re))}, nil
			})[0]))
		})}
	}, in)
}

// carriedOn are programs that go down the rows of arrays which do not fit, and how many steps carry something.
var carriedOn = []struct {
	name  string
	build func(w *streams) []*ops.Instance
	steps int
	share float64
}{
	{"a scan", func(w *streams) []*ops.Instance {
		return []*ops.Instance{w.keepRows("out", w.third(w.decay(w.waves(matrix(300, 64)))))}
	}, 1, 0.2},
	{"a scan of one line", func(w *streams) []*ops.Instance {
		return []*ops.Instance{w.keepRows("out", w.line(w.waves(ops.Type{Elem: ops.F32, Dims: []ops.Dim{{Name: "y", Size: 9000}}})))}
	}, 1, 0.2},
	{"a scan of what is blurred, blurred, and before", func(w *streams) []*ops.Instance {
		decayed := w.decay(w.blur(w.waves(matrix(311, 40)), 3))
		return []*ops.Instance{w.keepRows("out", w.blur(decayed, 5)), w.keepRows("before", decayed)}
	}, 1, 0.4},
	{"the state in the end", func(w *streams) []*ops.Instance {
		return []*ops.Instance{w.keep("last", w.last(w.decay(w.third(w.waves(matrix(400, 50))))))}
	}, 1, 0.3},
	{"the state in the end, and those before", func(w *streams) []*ops.Instance {
		decayed := w.decay(w.third(w.waves(matrix(400, 50))))
		return []*ops.Instance{w.keep("last", w.last(decayed)), w.keepRows("decayed", decayed)}
	}, 2, 0.3},
}

// line is decay of an array of one dim.
func (w *streams) line(in ops.Array) ops.Array {
	t := in.Type()
	return w.lowered("line", t, func(l *ops.Lowering) []*ops.Stage {
		s := &ops.Scan{Dims: t.Dims, Start: func(b *ops.Body, _ []*ir.Node) []*ir.Node { return []*ir.Node{b.F32(0)} },
			Step: func(b *ops.Body, at, state []*ir.Node) []*ir.Node {
				v := l.In("a").At(b, at...).Re
				return []*ir.Node{b.Add(b.Mul(state[0], b.F32(0.7)), b.Select(b.Alu(ir.Eq, v, v), v, b.F32(1)))}
			}}
		return []*ops.Stage{l.Scan("", t.Elem, t.Unit, []*ops.Stage{l.In("a")}, s, func(_ *ops.Body, _, after []*ir.Node) ops.Elem { return ops.Real(after[0]) })}
	}, in)
}

func TestStatesAreCarriedFromBlockToBlock(t *testing.T) {
	for _, c := range carriedOn {
		t.Run(c.name, func(t *testing.T) {
			whole, peak := runWhole(t, c.build)
			budget := int64(float64(peak) * c.share)
			w := newStreams()
			p, err := w.build(t, budget, c.build(w)...)
			if err != nil {
				t.Fatal(err)
			}
			if p.Stream == nil || len(p.Stream.Carries) != c.steps {
				t.Fatalf("carried otherwise: %+v", p.Stream)
			}
			runWithin(t, w, whole, p, budget)
		})
	}
}
