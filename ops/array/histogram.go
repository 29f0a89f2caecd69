package array

import (
	"errors"
	"math"
	"slices"
	"weft/ops/operand"

	"weft/kernels/ir"
	"weft/ops"
	"weft/ops/problem"
)

// Tables of a histogram are by chunks of the elements: as many as manyTables in all, while they stay smaller than an eighth of the array.
const manyTables = 1024

func histogramSpec() *ops.Spec {
	return &ops.Spec{
		Name: "histogram", Doc: "How many elements lie in each of evenly spaced bins.", Group: groupReduce, Error: operand.Rounded,
		Long: "n edges are the ends of n - 1 bins. An element x lies in bin floor((x - first) * bins / (last - first)), computed in f64; the last edge belongs to the last bin. " +
			"NaN and what lies outside are not counted. With weights, those of the elements in each bin are added up: floats in f64, in the order of the elements within chunks, " +
			"whose number follows from the shape alone, and chunk by chunk.",
		Returns: "an array over the remaining dimensions and `bin`, whose coordinates are the middles of the bins: i64, or the sums of the weights in their unit.",
		Params: []ops.Param{ops.In("a", "array"), ops.Span("edges", "*", "first and last edge with the number of edges, or a step"),
			ops.In("weights", "what an element counts for: an array over the same dimensions; 1 when left out").Opt(), ops.Names("over", overDoc).Opt()},
		Examples: []ops.Example{{Title: "A line in four bins", Code: "x = axis(x, 0 mm .. 9 mm in 10)\nhistogram(x, 0 mm .. 10 mm in 5) | show"}},
		Bind:     bindHistogram,
	}
}

// histogram is a use of histogram.
type histogram struct {
	ops.Gives
	over        []int
	first, last float64
	bins        int
	acc         ops.ElemType
	weighted    bool
}

func bindHistogram(c *ops.Call) (ops.Op, error) {
	t, r := c.Type("a"), c.Args["edges"].(ops.Range)
	if t.Elem.Complex {
		return nil, needsReal("histogram", "a", t)
	}
	if r.N == 0 && r.Step == 0 {
		return nil, problem.Wrong(problem.RangeWithoutCount, "edges", "write `"+r.String()+" in 65` for 64 bins, say", "the range %s has no number of edges", r)
	}
	edges, edgeErr := operand.Points("edges", r)
	over, dimErr := operand.DimsNamed(c, "over", t, true)
	if err := errors.Join(edgeErr, dimErr); err != nil {
		return nil, err
	}
	n := len(edges) - 1
	switch {
	case n < 1 || edges[n] <= edges[0]:
		return nil, problem.Wrong(problem.EmptyRange, "edges", "give at least two edges, the smaller one first", "the range %s makes no bin", r)
	case !r.From.Unit.Same(t.Unit):
		return nil, operand.Unlike("histogram", "edges", t.Unit, r.From.Unit)
	}
	h := &histogram{over: over, first: edges[0], last: edges[n], bins: n, acc: ops.I64}
	bin := ops.Dim{Name: "bin", Size: n, Unit: r.From.Unit}
	for k := range n {
		bin.Coords = append(bin.Coords, edges[0]/2+edges[n]/2+(edges[n]-edges[0])*(float64(2*k+1-n)/float64(2*n)))
	}
	out := ops.Type{Elem: ops.I64, Dims: append(operand.Without(t.Dims, over), bin)}
	if c.Has("weights") {
		w := c.Type("weights")
		if !slices.EqualFunc(w.Dims, t.Dims, func(x, y ops.Dim) bool { return x.Name == y.Name && x.Size == y.Size }) {
			return nil, problem.Wrong(problem.MissingDim, "weights", "give them the dimensions of the array, in its order", "the weights are %s, and the array is %s", w, t)
		}
		if w.Elem.Complex {
			return nil, needsReal("histogram", "weights", w)
		}
		h.weighted, h.acc = true, wide(w.Elem.Widen())
		out.Elem, out.Unit = sumType(w.Elem.Widen()), w.Unit
	}
	h.Gives = ops.One(out)
	return h, operand.Distinct("a", out.Dims)
}

// Lower counts in a table for each chunk, then adds up the tables.
func (h *histogram) Lower(l *ops.Lowering) []*ops.Stage {
	in, out := l.In("a"), h.Outputs()[0].Type
	weights := l.In("weights")
	inputs := []*ops.Stage{in}
	if h.weighted && weights != in {
		inputs = append(inputs, weights)
	}
	w := &reducer{in: in, over: h.over, out: ops.Type{Dims: out.Dims[:len(out.Dims)-1]}}
	w.kept = kept(in.Type, h.over)
	w.outer, w.inner = splitLoops(in.Type, h.over, max(1, min(manyTables, in.Type.Len()/(8*h.bins))))
	t := ops.Type{Elem: h.acc, Dims: slices.Clone(w.out.Dims), Unit: out.Unit}
	for _, o := range w.outer {
		t.Dims = append(t.Dims, ops.Dim{Name: in.Type.Dims[o.dim].Name, Size: o.size})
	}
	axes := slices.Clone(t.Dims)
	t.Dims = append(t.Dims, out.Dims[len(out.Dims)-1])
	// turn is the bin of an element, whether it is in one, and what it counts for.
	turn := func(b *ops.Body, at []*ir.Node) (bin, on, term *ir.Node) {
		x := in.At(b, at...).Re
		on = b.And(b.Le(b.F64(h.first), b.Cast(ir.F64, x)), b.Le(b.Cast(ir.F64, x), b.F64(h.last)))
		other := h.within(b, x.Type)
		x = b.Select(on, b.Cast(other.Type, x), other)
		q := b.Mul(b.Sub(b.Cast(ir.F64, x), b.F64(h.first)), b.F64(float64(h.bins)/(h.last-h.first)))
		bin = b.Min(b.Cast(ir.I32, q), b.I32(h.bins-1))
		term = b.Const(h.acc.Base, 1)
		if h.weighted {
			term = b.Cast(h.acc.Base, weights.At(b, at...).Re)
		}
		return bin, on, term
	}
	table := l.Stage("tables", t, inputs, func(b *ops.Body, index []*ir.Node) ops.Elem {
		wanted := index[len(index)-1]
		at, _, his := w.inside(b, index[:len(index)-1])
		_, state := b.Nest(his, nil, []*ir.Node{b.Const(h.acc.Base, 0)}, func(steps, state []*ir.Node) []*ir.Node {
			bin, on, term := turn(b, at(steps))
			return []*ir.Node{b.Select(b.And(on, b.Alu(ir.Eq, bin, wanted)), b.Add(state[0], term), state[0])}
		})
		return ops.Real(state[0])
	})
	table.Exact = true
	table.Put = &ops.Put{Axes: axes, Writes: func(b *ops.Body, index []*ir.Node) []ops.Write {
		clear, _ := b.Nest([]*ir.Node{b.I32(h.bins)}, index, nil, func(_, state []*ir.Node) []*ir.Node { return state })
		at, _, his := w.inside(b, index)
		var bin, on, term *ir.Node
		count, _ := b.Nest(his, index, []*ir.Node{b.I32(0)}, func(steps, state []*ir.Node) []*ir.Node {
			bin, on, term = turn(b, at(steps))
			return state
		})
		place := func(bin *ir.Node) []*ir.Node { return append(slices.Clone(index), bin) }
		return []ops.Write{
			{In: clear, At: place(clear.Index), Value: ops.Real(b.Const(h.acc.Base, 0))},
			{In: count, At: place(bin), Value: ops.Real(term), Where: on, Adds: true},
		}
	}}
	sum := l.Stage("", out, []*ops.Stage{table}, func(b *ops.Body, index []*ir.Node) ops.Elem {
		n := len(index) - 1
		his := []*ir.Node{b.I32(1)}
		if len(w.outer) > 0 {
			his = nil
		}
		for _, o := range w.outer {
			his = append(his, b.I32(o.size))
		}
		_, state := b.Nest(his, nil, []*ir.Node{b.Const(h.acc.Base, 0)}, func(steps, state []*ir.Node) []*ir.Node {
			at := slices.Concat(index[:n], steps[:len(w.outer)], index[n:])
			return []*ir.Node{b.Add(state[0], table.At(b, at...).Re)}
		})
		return ops.Real(b.Cast(out.Elem.Base, state[0]))
	})
	sum.Steps = []string{"histogram"}
	return []*ops.Stage{sum}
}

// within is a value between the edges, of an element's type if there is one: choosing between f64 would take longer.
func (h *histogram) within(b *ops.Body, t ir.DType) *ir.Node {
	v := h.first
	switch {
	case t == ir.F32 && float64(float32(v)) < v:
		v = float64(math.Nextafter32(float32(v), math.MaxFloat32))
	case t == ir.F32:
		v = float64(float32(v))
	case t.Int():
		v = math.Ceil(v)
	}
	if t == ir.Bool || v > h.last || t.Int() && math.Abs(v) > math.MaxInt32 {
		return b.F64(h.first)
	}
	return b.Const(t, v)
}

// Reference counts in plain float64.
func (h *histogram) Reference(in map[string]ops.Dense) ([]ops.Dense, error) {
	a, t := in["a"], h.Outputs()[0].Type
	out := ops.NewDense(false, t.Shape()...)
	strides := out.Strides()
	for i, index := range ops.Indices(a.Shape) {
		x := real(a.At(i))
		if !(h.first <= x && x <= h.last) {
			continue
		}
		at, k := min(h.bins-1, int(math.Floor((x-h.first)*(float64(h.bins)/(h.last-h.first))))), 0
		for d, v := range index {
			if !slices.Contains(h.over, d) {
				at += v * strides[k]
				k++
			}
		}
		w := 1.0
		if h.weighted {
			w = real(in["weights"].At(i))
		}
		out.Re[at] += w
	}
	return []ops.Dense{out}, nil
}
