package array

import (
	"weft/kernels/ir"
	"weft/ops"
	"weft/ops/operand"
)

// Lines of a scan, one for each element of the other dims, are computed beside each other. Where they are fewer than enoughLines each is cut
// into chunks, manyChunks in all, but none of fewer turns than shortestChunk: their totals are found first.
const (
	enoughLines   = 1024
	manyChunks    = 4096
	shortestChunk = 1024
	longLine      = 64 * shortestChunk // of floats, which one thread adds up in a fraction of a millisecond
)

func scanSpecs() []*ops.Spec {
	return []*ops.Spec{histogramSpec(), packSpec(), leadingSpec(), filledSpec(), {
		Name: "cumsum", Doc: "Sums of all elements up to each one, along a dimension.", Group: groupReduce, Error: operand.Rounded,
		Long: "A NaN makes all that comes after it NaN. Floats accumulate in f64, in order; integers and booleans give i64. " +
			"A line of floats of 65,536 elements or more is cut into chunks of at least 1,024, as many for each length: a sum then " +
			"starts from those of the chunks before, added up in order.",
		Returns:  "an array over the same dimensions; temperatures counted from an offset add up to kelvin.",
		Params:   []ops.Param{ops.In("a", "array"), ops.Param{Name: "along", Doc: "dimension; may be left out where there is only one", Accept: ops.KSymbol}.Opt()},
		Examples: []ops.Example{{Title: "Distance from speed", Code: "t = axis(t, 0 s .. 4 s in 5)\nspeed = 2 m/s * exp(-t / (1 s))\nshow(cumsum(speed) * 1 s)"}},
		Bind:     bindCumsum, Counts: true,
		Expand: operand.Filled(func(_ ops.Expander, _ string, a ops.Array) ops.Value {
			if a.Type().Elem == ops.Bool {
				return ops.Flag(false)
			}
			return ops.Integer(0)
		}), Expands: operand.Counted,
	}}
}

// cumsum is a use of cumsum.
type cumsum struct {
	ops.Gives
	along int
	acc   ops.ElemType
}

func bindCumsum(c *ops.Call) (ops.Op, error) {
	t := c.Type("a")
	along, err := operand.Line(c, t)
	if err != nil {
		return nil, err
	}
	unit, err := totalUnit("cumsum", []operand.Operand{{Name: "a", Type: t}})
	if err != nil {
		return nil, err
	}
	elem := t.Elem.Widen()
	return &cumsum{ops.One(ops.Type{Elem: sumType(elem), Dims: t.Dims, Unit: unit}), along, wide(elem)}, nil
}

// Lower runs along each line or, where they are few, chunks of them: behind the sums of chunks and the sums of those.
func (r *cumsum) Lower(l *ops.Lowering) []*ops.Stage {
	in, out := l.In("a"), r.Outputs()[0].Type
	zero := func(b *ops.Body) []*ir.Node {
		return parts(b, ops.Elem{Re: b.Const(r.acc.Base, 0)}, r.acc.Complex)
	}
	add := func(b *ops.Body, state []*ir.Node, x ops.Elem) []*ir.Node {
		x = ops.CCast(b, r.acc.Base, x)
		next := make([]*ir.Node, len(state))
		for i, term := range parts(b, x, r.acc.Complex) {
			next[i] = b.Add(state[i], term)
		}
		return next
	}
	chunk := chunkOf(out, r.along)
	if r.acc.Base.Float() {
		chunk = chunkOfFloats(out.Dims[r.along].Size)
	}
	s := &ops.Scan{Dims: out.Dims, Along: r.along, Chunk: chunk,
		Start: func(b *ops.Body, _ []*ir.Node) []*ir.Node { return zero(b) },
		Step:  func(b *ops.Body, at, state []*ir.Node) []*ir.Node { return add(b, state, in.At(b, at...)) },
	}
	inputs := []*ops.Stage{in}
	if s.Chunk > 0 {
		alone := *s
		totals := l.Totals("totals", r.acc, out.Unit, inputs, &alone, func(_ *ops.Body, state []*ir.Node) ops.Elem { return ops.ElemOf(state) })
		before := l.Scan("before", r.acc, out.Unit, []*ops.Stage{totals}, &ops.Scan{Dims: totals.Type.Dims, Along: r.along, Start: alone.Start,
			Step: func(b *ops.Body, at, state []*ir.Node) []*ir.Node { return add(b, state, totals.At(b, at...)) },
		}, func(_ *ops.Body, before, _ []*ir.Node) ops.Elem { return ops.ElemOf(before) })
		inputs = append(inputs, before)
		s.Start = func(b *ops.Body, at []*ir.Node) []*ir.Node { return parts(b, before.At(b, at...), r.acc.Complex) }
	}
	made := l.Scan("", out.Elem, out.Unit, inputs, s, func(b *ops.Body, _, after []*ir.Node) ops.Elem {
		return ops.CCast(b, out.Elem.Base, ops.ElemOf(after))
	})
	made.Steps = []string{"cumsum"}
	return []*ops.Stage{made}
}

// chunkOf is how many turns a chunk of a scan has; 0: as many as there are.
func chunkOf(t ops.Type, along int) int {
	n := t.Dims[along].Size
	lines := t.Len() / max(1, n)
	if n < 2*shortestChunk || lines >= enoughLines || lines == 0 {
		return 0
	}
	chunks := min(n/shortestChunk, (manyChunks+lines-1)/lines)
	return (n + chunks - 1) / chunks
}

// chunkOfFloats is the same whatever other lines there are, as the order in which floats are added up follows from it: an element then has the same
// bits in every array.
func chunkOfFloats(n int) int {
	if n < longLine {
		return 0
	}
	chunks := min(n/shortestChunk, manyChunks)
	return (n + chunks - 1) / chunks
}

// Reference adds up in plain float64.
func (r *cumsum) Reference(in map[string]ops.Dense) ([]ops.Dense, error) {
	a, t := in["a"], r.Outputs()[0].Type
	out := ops.NewDense(t.Elem.Complex, t.Shape()...)
	stride := out.Strides()[r.along]
	for i, index := range ops.Indices(a.Shape) {
		v := a.At(i)
		if index[r.along] > 0 {
			v += out.At(i - stride)
		}
		out.Set(i, v)
	}
	return []ops.Dense{out}, nil
}
