package array

import (
	"errors"
	"math"
	"math/bits"
	"slices"
	"weft/ops/operand"

	"weft/kernels/ir"
	"weft/ops"
	"weft/ops/problem"
)

// Tables of a histogram are by chunks of the elements: as many as manyTables in all, of floats for each result, while they stay smaller than an eighth
// of the array.
const manyTables = 1024

func histogramSpec() *ops.Spec {
	return &ops.Spec{
		Name: "histogram", Doc: "How many elements lie in each bin.", Group: groupReduce, Error: operand.Rounded,
		Long: "n edges are the ends of n - 1 bins. Those of a range are evenly spaced: an element x lies in bin floor((x - first) * bins / (last - first)), computed in f64. " +
			"An array of edges, which must follow from the text alone, rises or falls strictly, and its bins are searched. An edge belongs to the bin that begins there, the last one to the last bin. " +
			"NaN and what lies outside are not counted. With weights, those of the elements in each bin are added up: floats in f64, in the order of the elements within chunks, " +
			"whose number follows from the shape alone, and chunk by chunk.",
		Returns: "an array over the remaining dimensions and `bin`, whose coordinates are the middles of the bins: i64, or the sums of the weights in their unit.",
		Params: []ops.Param{ops.In("a", "array"), ops.Span("edges", "*", "first and last edge with the number of edges, or a step; or an array of edges").Also(ops.KArray),
			ops.In("weights", "what an element counts for: an array over the same dimensions; 1 when left out").Opt(), ops.Names("over", overDoc).Opt()},
		Examples: []ops.Example{{Title: "A line in four bins", Code: "x = axis(x, 0 mm .. 9 mm in 10)\nhistogram(x, 0 mm .. 10 mm in 5) | show"},
			{Title: "Bins of a decade each", Code: "x = axis(x, 1 W .. 1000 W in 1000)\nhistogram(x, 1 W * 10 ^ axis(decade, 0 .. 3)) | show"}},
		Bind: bindHistogram, Counts: true, Expand: filledHistogram, Expands: operand.Counted,
	}
}

// filledHistogram counts what there is: behind the last element follow NaN, which are not counted.
func filledHistogram(c *ops.Call, e ops.Expander) (ops.Value, error) {
	if t := c.Type("a"); !t.Elem.Complex && !t.Elem.Base.Float() {
		if c.Args["a"] = e.Apply("cast", map[string]ops.Value{"input": c.Args["a"], "type": ops.Symbol("f64")}); c.Args["a"] == nil {
			return nil, nil
		}
	}
	return operand.Filled(func(_ ops.Expander, arg string, _ ops.Array) ops.Value {
		if arg == "a" {
			return ops.Number{V: math.NaN()}
		}
		return ops.Integer(0)
	})(c, e)
}

// histogram is a use of histogram.
type histogram struct {
	ops.Gives
	over     []int
	edges    []float64
	even     bool // they are a range
	acc      ops.ElemType
	weighted bool
}

// mostEdges bounds the edges that are computed while the program is checked.
const mostEdges = 1 << 16

// edgesOf are the edges of the bins in their unit.
func edgesOf(c *ops.Call) ([]float64, ops.Unit, error) {
	if r, ok := c.Args["edges"].(ops.Range); ok {
		if r.N == 0 && r.Step == 0 {
			return nil, r.From.Unit, problem.Wrong(problem.RangeWithoutCount, "edges", "write `"+r.String()+" in 65` for 64 bins, say", "the range %s has no number of edges", r)
		}
		edges, err := operand.Points("edges", r)
		if n := len(edges); err == nil && (n < 2 || edges[n-1] <= edges[0]) {
			err = problem.Wrong(problem.EmptyRange, "edges", "give at least two edges, the smaller one first", "the range %s makes no bin", r)
		}
		return edges, r.From.Unit, err
	}
	a, _ := c.Array("edges")
	t := a.Type()
	if len(t.Dims) != 1 || t.Elem.Complex {
		return nil, t.Unit, problem.Wrong(problem.WrongDims, "edges", "give real values along one dimension", "the edges are %s", t)
	}
	d, ok := ops.Evaluate(a, mostEdges)
	if !ok {
		return nil, t.Unit, problem.Wrong(problem.NotKnown, "edges", "write them with axis, array and functions of these", "the edges are not known before the program runs, or are more than %d", mostEdges)
	}
	edges := d.Re
	if len(edges) < 2 {
		return nil, t.Unit, problem.Wrong(problem.NotMonotone, "edges", "give at least two", "one edge makes no bin")
	}
	for i, e := range edges {
		ahead := i == 0 || edges[i-1] < e
		if edges[1] < edges[0] {
			ahead = i == 0 || edges[i-1] > e
		}
		if !ahead || e-e != 0 {
			return nil, t.Unit, problem.Wrong(problem.NotMonotone, "edges", "", "edge %d, %s, is not behind the one before it", i, ops.Number{V: e, Unit: t.Unit})
		}
	}
	return edges, t.Unit, nil
}

func bindHistogram(c *ops.Call) (ops.Op, error) {
	t := c.Type("a")
	if t.Elem.Complex {
		return nil, needsReal("histogram", "a", t)
	}
	edges, unit, edgeErr := edgesOf(c)
	over, dimErr := operand.DimsNamed(c, "over", t, true)
	if err := errors.Join(edgeErr, dimErr); err != nil {
		return nil, err
	}
	if !unit.Same(t.Unit) {
		return nil, operand.Unlike("histogram", "edges", t.Unit, unit)
	}
	_, even := c.Args["edges"].(ops.Range)
	h := &histogram{over: over, edges: edges, even: even, acc: ops.I64}
	n := len(edges) - 1
	bin := ops.Dim{Name: "bin", Size: n, Unit: unit}
	for k := range n {
		middle := edges[k]/2 + edges[k+1]/2
		if even {
			middle = edges[0]/2 + edges[n]/2 + (edges[n]-edges[0])*(float64(2*k+1-n)/float64(2*n))
		}
		bin.Coords = append(bin.Coords, middle)
	}
	out := ops.Type{Elem: ops.I64, Dims: append(operand.Without(t.Dims, over), bin)}
	if c.Has("weights") {
		w := c.Type("weights")
		if !ops.SameDims(w.Dims, t.Dims) {
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
	results, elements := w.out.Len(), in.Type.Len()
	if h.acc.Base.Float() { // of each result, whatever others there are
		results, elements = 1, elements/max(1, results)
	}
	w.outer, w.inner = splitLoops(in.Type, h.over, results, max(1, min(manyTables, elements/(8*h.bins()))), manyElements)
	t := ops.Type{Elem: h.acc, Dims: slices.Clone(w.out.Dims), Unit: out.Unit}
	for _, o := range w.outer {
		t.Dims = append(t.Dims, ops.Dim{Name: in.Type.Dims[o.dim].Name, Size: o.size})
	}
	axes := slices.Clone(t.Dims)
	t.Dims = append(t.Dims, out.Dims[len(out.Dims)-1])
	var edges *ops.Stage
	if !h.even {
		edges = h.table(l, in.Type.Elem.Base.Compute())
		inputs = append(inputs, edges)
	}
	// turn is the bin of an element, whether it is in one, and what it counts for.
	turn := func(b *ops.Body, at []*ir.Node) (bin, on, term *ir.Node) {
		bin, on = h.bin(b, edges, in.At(b, at...).Re)
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
		clear, _ := b.Nest([]*ir.Node{b.I32(h.bins())}, index, nil, func(_, state []*ir.Node) []*ir.Node { return state })
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

func (h *histogram) bins() int { return len(h.edges) - 1 }

// inward is the value of a type that is nearest to an edge, from where the elements are that an edge with this comparison admits: comparing
// with it is the same, and takes less than comparing in f64.
func inward(t ir.DType, edge float64, above bool) float64 {
	v := float32(edge)
	switch {
	case t != ir.F32:
		return edge
	case above && float64(v) < edge:
		v = math.Nextafter32(v, float32(math.Inf(1)))
	case !above && float64(v) > edge:
		v = math.Nextafter32(v, float32(math.Inf(-1)))
	}
	return float64(v)
}

// table holds the edges as searches compare with them, as many as a power of two.
func (h *histogram) table(l *ops.Lowering, t ir.DType) *ops.Stage {
	if t != ir.F32 {
		t = ir.F64
	}
	data := make([]float64, 1<<bits.Len(uint(h.bins())))
	for i := range data {
		data[i] = inward(t, h.edges[min(i, h.bins())], h.edges[1] > h.edges[0])
	}
	return l.Table("edges", t, data, ops.Dim{Name: "edge", Size: len(data)})
}

// bin is the bin of an element, and whether it is in one.
func (h *histogram) bin(b *ops.Body, edges *ops.Stage, x *ir.Node) (bin, on *ir.Node) {
	if x.Type != ir.F32 {
		x = b.Cast(ir.F64, x)
	}
	n := h.bins()
	low, high := min(h.edges[0], h.edges[n]), max(h.edges[0], h.edges[n])
	first := b.Const(x.Type, inward(x.Type, low, true))
	on = b.And(b.Le(first, x), b.Le(x, b.Const(x.Type, inward(x.Type, high, false))))
	x = b.Select(on, x, first)
	if h.even {
		bin = b.Cast(ir.I32, b.Mul(b.Sub(b.Cast(ir.F64, x), b.F64(low)), b.F64(float64(n)/(high-low))))
		return b.Min(bin, b.I32(n-1)), on
	}
	bin = b.I32(0)
	for step := edges.Type.Dims[0].Size / 2; step > 0; step /= 2 {
		next := b.Add(bin, b.I32(step))
		edge := edges.At(b, next).Re
		there := b.Le(edge, x)
		if h.edges[1] < h.edges[0] {
			there = b.Le(x, edge)
		}
		bin = b.Select(there, next, bin)
	}
	return b.Min(bin, b.I32(n-1)), on
}

// Reference counts in plain float64.
func (h *histogram) Reference(in map[string]ops.Dense) ([]ops.Dense, error) {
	a, t := in["a"], h.Outputs()[0].Type
	out := ops.NewDense(false, t.Shape()...)
	strides := out.Strides()
	for i, index := range ops.Indices(a.Shape) {
		x := real(a.At(i))
		n := h.bins()
		first, last := h.edges[0], h.edges[n]
		if !(min(first, last) <= x && x <= max(first, last)) {
			continue
		}
		at, k := min(n-1, int(math.Floor((x-first)*(float64(n)/(last-first))))), 0
		if !h.even {
			at = 0
			for at < n-1 && (last > first && h.edges[at+1] <= x || last < first && h.edges[at+1] >= x) {
				at++
			}
		}
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
