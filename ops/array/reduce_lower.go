package array

import (
	"slices"

	"weft/kernels/ir"
	"weft/ops"
	"weft/ops/operand"
)

// A reduction of more than manyElements to fewer outputs than enoughOutputs runs in two stages, so that there is parallel work: the first leaves about
// enoughOutputs partial results, or of veryMany elements one for each manyElements, up to as many: GPUs have thousands in flight. A sum of more than manyTerms floats does so
// however many outputs there are, and leaves as many for each: the order in which terms are added up follows from what is reduced alone, and a result is the same
// to the bit among others as by itself. That of fewer takes one stage even alone: one thread adds them up in the time that a second stage takes to start.
const manyElements, manyTerms, veryMany, enoughOutputs = 4096, 32768, 1 << 22, 64

// loop is a part of a reduced dimension: size steps of step elements. When a dim of end elements is cut into blocks there
// are two loops over it: one of the blocks, one within a block.
type loop struct{ dim, size, step, end int }

// splitLoops divides the loops over the reduced dims into those that remain as dims of partial results and those that
// are done for each of them. There are no outer ones when one stage is enough, as it is for so many elements.
func splitLoops(t ops.Type, over []int, outputs, enough, many int) (outer, inner []loop) {
	count := 1
	for _, d := range over {
		n := t.Dims[d].Size
		count *= n
		inner = append(inner, loop{d, n, 1, n})
	}
	if count <= many || outputs >= enough {
		return nil, inner
	}
	if count >= veryMany {
		enough = min(count/manyElements, manyElements)
	}
	for kept := outputs; kept < enough && len(inner) > 0; {
		l := inner[0]
		need := (enough + kept - 1) / kept
		if l.size <= 4*need {
			outer, inner = append(outer, l), inner[1:]
			kept *= l.size
			continue
		}
		block := (l.size + need - 1) / need
		outer = append(outer, loop{l.dim, (l.size + block - 1) / block, block, l.end})
		inner[0].size = block
		break
	}
	return outer, inner
}

// reducer is a reduction of one stage while it is lowered.
type reducer struct {
	*reduction
	in           *ops.Stage
	over         []int // reduced dims
	kept         []int // the others
	acc          ops.ElemType
	out          ops.Type
	outer, inner []loop
	part         *operand.Segment
	ends         []*ops.Stage     // of the segment
	of           *operand.Product // what is known of it as a product; nil: nothing
}

// stages defines the reduction of a stage over dims, in one stage or two.
func (r *reduction) stages(l *ops.Lowering, name string, in *ops.Stage, over []int, out ops.Type, part *operand.Segment, product *operand.Product) *ops.Stage {
	product = product.In(l)
	w := &reducer{reduction: r, in: in, over: over, acc: r.accumulate(in.Type.Elem.Widen()), out: out, part: part, ends: endsOf(l, part), of: product}
	w.kept = kept(in.Type, over)
	outputs, many := out.Len(), manyElements
	switch {
	case part != nil, w.adds() && w.product(): // nobody knows how long a part is; partial products would be more than their factors
		outputs = enoughOutputs
	case w.adds():
		outputs, many = 1, manyTerms
	case outputs < enoughOutputs && slices.Contains(over, 0): // parts of few rows each, as blocks are
		outputs = 1
	}
	w.outer, w.inner = splitLoops(in.Type, over, outputs, enoughOutputs, many)
	if len(w.outer) > 0 && part == nil {
		w.inOrder(in.Type.Dim(in.Along()))
	}
	inputs := append([]*ops.Stage{in}, w.ends...)
	elem := func(b *ops.Body, index []*ir.Node) ops.Elem { return w.finished(b, index, w.first(b, index)) }
	if len(w.outer) > 0 {
		inputs = w.partials(l, name)
		elem = func(b *ops.Body, index []*ir.Node) ops.Elem { return w.finished(b, index, w.second(b, inputs, index)) }
	}
	s := l.Stage(product.Half(name), out, inputs, elem)
	s.Steps = append([]string{r.name}, product.Steps()...)
	if r.indexed() && len(w.outer) == 0 && len(over) == 1 {
		s.Near = w.near
	}
	return product.Whole(l, name, s)
}

// inOrder has one loop go along a dim in which the array is made in order, if that leaves enough partial results: it may carry what the array is made
// from. Those of one sum have to be enough, as the order of its terms follows from what is summed alone.
func (w *reducer) inOrder(dim int) {
	var outer, inner []loop
	others := 1
	if !w.adds() {
		others = w.out.Len()
	}
	for _, d := range w.over {
		n := w.in.Type.Dims[d].Size
		if d == dim {
			inner = append(inner, loop{d, n, 1, n})
			continue
		}
		outer, others = append(outer, loop{d, n, 1, n}), others*n
	}
	if len(inner) > 0 && others >= enoughOutputs && !(w.indexed() && len(outer) > 0) { // the first of equal ones is that of the first turn
		w.outer, w.inner = outer, inner
	}
}

// adds reports a reduction whose result depends on the order of its terms.
func (w *reducer) adds() bool { return w.monoid == ir.Sum && w.acc.Base.Float() }

// product reports terms that join arrays none of which is along all dims that remain, several of them: those of a matrix product, or of delays of
// elements to places.
func (w *reducer) product() bool {
	all := func(s *ops.Stage) bool {
		return !slices.ContainsFunc(w.in.Type.Dims, func(d ops.Dim) bool { return s.Type.Dim(d.Name) < 0 })
	}
	seen := map[*ops.Stage]bool{}      // stages that several read are looked at once
	var single func(s *ops.Stage) bool // an array is along all
	single = func(s *ops.Stage) bool {
		if seen[s] {
			return false // or the answer was found
		}
		seen[s] = true
		return all(s) && (len(s.Inputs) == 0 || slices.ContainsFunc(s.Inputs, single))
	}
	return len(w.kept) > 1 && !single(w.in)
}

// partials defines the stages of partial results, whose dims are those of the output and the outer loops, in the order of the array, so that those of its first
// rows come first: two of them for pairs (value, index), one otherwise.
func (w *reducer) partials(l *ops.Lowering, name string) []*ops.Stage {
	if name != "" {
		name += "."
	}
	t := ops.Type{Elem: w.acc, Unit: w.out.Unit}
	dims := slices.Clone(w.out.Dims)
	for _, o := range w.outer {
		dims = append(dims, ops.Dim{Name: w.in.Type.Dims[o.dim].Name, Size: o.size})
	}
	places := w.places()
	for _, at := range places {
		t.Dims = append(t.Dims, dims[at])
	}
	define := func(suffix string, elem ops.ElemType, give func(*ops.Body, []*ir.Node) ops.Elem) *ops.Stage {
		t.Elem = elem
		s := l.Stage(name+suffix, t, []*ops.Stage{w.in}, func(b *ops.Body, at []*ir.Node) ops.Elem {
			index := make([]*ir.Node, len(at))
			for i, place := range places {
				index[place] = at[i]
			}
			return give(b, w.first(b, index))
		})
		s.Steps, s.Partial = []string{w.name}, w.adds()
		return s
	}
	if w.indexed() {
		return []*ops.Stage{
			define("partial.value", w.acc, func(_ *ops.Body, a []*ir.Node) ops.Elem { return ops.Real(a[0]) }),
			define("partial.index", ops.I32, func(_ *ops.Body, a []*ir.Node) ops.Elem { return ops.Real(a[1]) }),
		}
	}
	return []*ops.Stage{define("partial", w.acc, func(_ *ops.Body, a []*ir.Node) ops.Elem { return ops.ElemOf(a) })}
}

// places are the dims of partial results among those of the output, then the outer loops.
func (w *reducer) places() []int {
	dims := slices.Clone(w.kept)
	for _, o := range w.outer {
		dims = append(dims, o.dim)
	}
	out := make([]int, len(dims))
	for i := range out {
		out[i] = i
	}
	slices.SortStableFunc(out, func(i, j int) int { return dims[i] - dims[j] })
	return out
}

// first gives the accumulators of the inner loops. index is that of the output, then of the outer loops.
func (w *reducer) first(b *ops.Body, index []*ir.Node) []*ir.Node {
	full, los, his := w.inside(b, index)
	return w.fold(b, w.inner, los, his, func(steps []*ir.Node) []*ir.Node {
		full := full(steps)
		x := w.in.At(b, full...)
		if w.term != nil {
			x = w.term(b, x, w.acc.Base)
		}
		x = ops.CCast(b, w.acc.Base, x)
		if w.indexed() {
			return []*ir.Node{x.Re, w.flat(b, full)}
		}
		return parts(b, x, w.acc.Complex)
	})
}

// neighbours are the places on either side of an extreme element among which it is proved to be that.
const neighbours = 2

// near finds the extreme element again among the neighbours of where it was found.
func (w *reducer) near(b *ops.Body, index []*ir.Node, found ops.Elem) ops.Elem {
	full, los, his := w.inside(b, index)
	acc := w.fold(b, w.inner, []*ir.Node{b.I32(0)}, []*ir.Node{b.I32(2*neighbours + 1)}, func(steps []*ir.Node) []*ir.Node {
		place := b.Add(found.Re, b.Sub(steps[0], b.I32(neighbours)))
		at := full([]*ir.Node{b.Max(b.I32(0), b.Max(los[0], b.Min(b.Sub(his[0], b.I32(1)), place)))})
		return []*ir.Node{ops.CCast(b, w.acc.Base, w.in.At(b, at...)).Re, w.flat(b, at)}
	})
	return w.finished(b, index, acc)
}

// inside are the bounds of the inner loops, and the element of the array at their steps.
func (w *reducer) inside(b *ops.Body, index []*ir.Node) (full func(steps []*ir.Node) []*ir.Node, los, his []*ir.Node) {
	at := make([]*ir.Node, len(w.in.Type.Dims))
	for i, d := range w.kept {
		if at[d] = index[i]; w.part != nil {
			at[d] = index[w.part.Pick[i]]
		}
	}
	start := map[int]*ir.Node{} // where the inner loop over a dim begins
	for i, o := range w.outer {
		start[o.dim] = b.Mul(index[len(w.kept)+i], b.I32(o.step))
		at[o.dim] = start[o.dim]
	}
	los, his = make([]*ir.Node, len(w.inner)), make([]*ir.Node, len(w.inner))
	for i, l := range w.inner {
		if los[i], his[i] = b.I32(0), b.I32(l.size); w.part != nil && l.dim == w.part.Dim {
			los[i], his[i] = w.part.Loop(b, w.ends, index, l.size)
		}
		if s := start[l.dim]; s != nil && l.end%l.size != 0 {
			his[i] = b.Min(his[i], b.Sub(b.I32(l.end), s)) // the last block is short
		}
		if w.of != nil {
			los[i], his[i] = w.of.Ends(b, w.out.Dims, index, start[l.dim], los[i], his[i])
		}
	}
	return func(steps []*ir.Node) []*ir.Node {
		full := slices.Clone(at)
		for i, l := range w.inner {
			full[l.dim] = steps[i]
			if s := start[l.dim]; s != nil {
				full[l.dim] = b.Add(s, steps[i])
			}
		}
		return full
	}, los, his
}

// second gives the accumulators of the outer loops over partial results.
func (w *reducer) second(b *ops.Body, partial []*ops.Stage, index []*ir.Node) []*ir.Node {
	los, his := make([]*ir.Node, len(w.outer)), make([]*ir.Node, len(w.outer))
	for i, o := range w.outer {
		los[i], his[i] = b.I32(0), b.I32(o.size)
	}
	return w.fold(b, w.outer, los, his, func(steps []*ir.Node) []*ir.Node {
		all := slices.Concat(index, steps)
		at := make([]*ir.Node, len(all))
		for i, place := range w.places() {
			at[i] = all[place]
		}
		var terms []*ir.Node
		for _, p := range partial {
			terms = append(terms, parts(b, p.At(b, at...), p.Type.Elem.Complex)...)
		}
		return terms
	})
}

// flat is the index of an element among the reduced ones, in C order.
func (w *reducer) flat(b *ops.Body, full []*ir.Node) *ir.Node {
	n := b.I32(0)
	for _, d := range w.over {
		n = b.Add(b.Mul(n, b.I32(w.in.Type.Dims[d].Size)), full[d])
	}
	return n
}

// fold nests loops between bounds around the terms, called by their dims.
func (w *reducer) fold(b *ops.Body, loops []loop, los, his []*ir.Node, term func(steps []*ir.Node) []*ir.Node) []*ir.Node {
	init := []*ir.Node{w.start(b, w.acc.Base)}
	switch {
	case w.indexed():
		init = append(init, b.I32(0))
	case w.acc.Complex:
		init = append(init, w.start(b, w.acc.Base))
	}
	var nest func(steps []*ir.Node) []*ir.Node
	nest = func(steps []*ir.Node) []*ir.Node {
		if len(steps) == len(his) {
			return term(steps)
		}
		if his[len(steps)] == nil { // one turn
			return w.join(b, init, nest(append(slices.Clone(steps), los[len(steps)])))
		}
		return b.Fold(ir.FoldSpec{Name: w.in.Type.Dims[loops[len(steps)].dim].Name, Lo: los[len(steps)], Hi: his[len(steps)], Init: init, Monoid: w.monoid}, func(i *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
			return w.join(b, acc, nest(append(slices.Clone(steps), i))), nil
		})
	}
	return nest(nil)
}

// monoidOps are the operations of monoids with independent accumulators. Terms stand first, so that NaN are skipped by min
// and max.
var monoidOps = map[ir.Monoid]ir.Op{ir.Smallest: ir.Min, ir.Largest: ir.Max, ir.Any: ir.Or, ir.All: ir.And}

func (w *reducer) join(b *ops.Body, acc, term []*ir.Node) []*ir.Node {
	out := make([]*ir.Node, len(acc))
	switch w.monoid {
	case ir.ArgMin, ir.ArgMax:
		better := b.Better(w.monoid, term[0], acc[0])
		for i := range out {
			out[i] = b.Select(better, term[i], acc[i])
		}
	case ir.Sum:
		for i := range out {
			out[i] = b.Add(acc[i], term[i])
		}
	default:
		for i := range out {
			out[i] = b.Alu(monoidOps[w.monoid], term[i], acc[i])
		}
	}
	return out
}

// finished makes the output's element of accumulators.
func (w *reducer) finished(b *ops.Body, index, acc []*ir.Node) ops.Elem {
	x := ops.ElemOf(acc)
	if w.indexed() {
		x = ops.Real(acc[1])
	}
	if w.finish != nil {
		count := 1
		for _, d := range w.over {
			if w.part == nil || d != w.part.Dim {
				count *= w.in.Type.Dims[d].Size
			}
		}
		n := b.F64(float64(count))
		if w.part != nil {
			lo, hi := w.part.Loop(b, w.ends, index, w.in.Type.Dims[w.part.Dim].Size)
			n = b.Mul(n, b.Cast(ir.F64, b.Max(b.I32(0), b.Sub(hi, lo))))
		}
		x = w.finish(b, x, n)
	}
	return ops.CCast(b, w.out.Elem.Base, x)
}

// parts are the nodes of an element, which ops.ElemOf joins: a real one has an imaginary part of zero where it is asked for.
func parts(b *ops.Body, x ops.Elem, complex bool) []*ir.Node {
	if !complex {
		return []*ir.Node{x.Re}
	}
	return []*ir.Node{x.Re, x.Imag(b)}
}
