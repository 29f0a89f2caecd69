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

// mostSorted is how many elements are sorted in registers. Of more, the one that so many are below is found by halving the range of
// numbers, an exact method that reads them once for every bit of their type.
const mostSorted = 32

func quantileSpecs() []*ops.Spec {
	over := acceptsSegments()
	long := "A NaN among the elements gives NaN, and so does an empty part. Up to 32 elements are sorted; of more, the element with so many below it is found by " +
		"halving the range of numbers, which reads them once for every bit of their type."
	zero, one := 0.0, 1.0
	return []*ops.Spec{{
		Name: "median", Doc: "Middle of the sorted elements; the mean of the two middle ones where their number is even.", Group: groupReduce, Error: operand.Rounded,
		Long: long, Returns: remaining,
		Params:   []ops.Param{ops.In("a", "array"), over},
		Examples: []ops.Example{{Title: "Along one dimension", Code: "x = axis(x, -1 mm .. 1 mm in 5)\ny = axis(y, 0 mm .. 2 mm in 3)\nshow(median(abs(x) + y, over: x))"}},
		Bind:     func(c *ops.Call) (ops.Op, error) { return bindQuantile(c, 0.5) }, Counts: true,
	}, {
		Name: "quantile", Doc: "The value that a part q of the elements is below.", Group: groupReduce, Error: operand.Rounded,
		Long:     "Between the elements that stand next to place q (n - 1) of the n sorted ones, counted from 0, it is interpolated linearly (method 7 of Hyndman and Fan, 1996). " + long,
		Params:   []ops.Param{ops.In("a", "array"), {Name: "q", Doc: "part, from 0, the smallest, to 1, the largest", Accept: ops.KNumber, Min: &zero, Max: &one}, over},
		Returns:  remaining,
		Examples: []ops.Example{{Title: "What nine of ten are below", Code: "x = axis(x, 0 mm .. 10 mm in 11)\nshow(quantile(x, 0.9))"}},
		Bind:     func(c *ops.Call) (ops.Op, error) { return bindQuantile(c, c.Number("q")) }, Counts: true,
	}}
}

// quantile is a use of median or quantile.
type quantile struct {
	*reduce
	q     float64
	count int // elements that there are at most
}

func bindQuantile(c *ops.Call, q float64) (ops.Op, error) {
	t := c.Type("a")
	if t.Elem.Complex {
		return nil, needsReal(c.Spec.Name, "a", t)
	}
	over, part, dimErr := overOf(c, t)
	choose := &reduction{name: c.Spec.Name, result: inexactOf, unit: operand.SameUnit, value: func(x []complex128) complex128 { return quantileOf(x, q) }}
	of, unitErr := choose.of(t, over)
	if err := errors.Join(dimErr, unitErr); err != nil {
		return nil, err
	}
	r := &quantile{of, q, 1}
	if of.part = part; part != nil {
		of.out.Dims = part.Dims
	}
	for _, d := range over {
		r.count *= t.Dims[d].Size
	}
	if r.count == 0 {
		return nil, problem.Wrong(problem.EmptyRange, "a", "give at least one", "there is no element to choose from")
	}
	return r, nil
}

// beside is where among n sorted elements a quantile lies: that many are below the first of the two beside it, and it is a part of the way from
// there to the next.
func beside(q float64, n int) (below int, part float64) {
	place := q * float64(n-1)
	below = min(int(place), n-1)
	return below, place - float64(below)
}

// Lower sorts in registers or searches by bits.
func (r *quantile) Lower(l *ops.Lowering) []*ops.Stage {
	in, out := l.In("a"), r.out
	w := &reducer{reduction: r.reduction, in: in, over: r.over, kept: kept(in.Type, r.over), out: out, part: r.part, ends: endsOf(l, r.part)}
	for _, d := range r.over {
		w.inner = append(w.inner, loop{d, in.Type.Dims[d].Size, 1, in.Type.Dims[d].Size})
	}
	elem := in.Type.Elem.Widen().Base
	if elem == ir.Bool {
		elem = ir.I32
	}
	s := l.Stage("", out, append([]*ops.Stage{in}, w.ends...), func(b *ops.Body, index []*ir.Node) ops.Elem {
		full, los, his := w.inside(b, index)
		at := func(steps []*ir.Node) *ir.Node { return b.Cast(elem, in.At(b, full(steps)...).Re) }
		var low, high, nan, part *ir.Node
		if r.part == nil {
			below, rest := beside(r.q, r.count)
			part = b.Const(out.Elem.Base, rest)
			if r.count <= mostSorted {
				low, high, nan = r.sorted(b, in.Type, elem, below, at)
			} else {
				low, high, nan = r.searched(b, elem, b.Int(r.counts(), int64(below)), rest > 0, los, his, at)
			}
		} else {
			n := b.Cast(r.counts(), b.I32(1))
			for i := range his {
				n = b.Mul(n, b.Cast(r.counts(), b.Max(b.I32(0), b.Sub(his[i], los[i]))))
			}
			place := b.Mul(b.F64(r.q), b.Cast(ir.F64, b.Sub(n, b.Int(r.counts(), 1))))
			below := b.Cast(r.counts(), b.Alu(ir.Floor, place))
			part = b.Cast(out.Elem.Base, b.Sub(place, b.Cast(ir.F64, below)))
			low, high, nan = r.searched(b, elem, below, true, los, his, at)
			none := b.Alu(ir.Eq, n, b.Int(r.counts(), 0))
			if nan == nil {
				nan = b.False()
			}
			nan = b.Or(nan, none)
		}
		low, high = b.Cast(out.Elem.Base, low), b.Cast(out.Elem.Base, high)
		if !part.IsConst(0) {
			alone := b.Or(b.Alu(ir.Eq, low, high), b.Alu(ir.Eq, part, b.Const(part.Type, 0))) // where there may be no other
			low = b.Select(alone, low, b.Add(b.Mul(b.Sub(b.Const(part.Type, 1), part), low), b.Mul(part, high)))
		}
		if nan != nil {
			low = b.Select(nan, b.Const(low.Type, math.NaN()), low)
		}
		return ops.Real(low)
	})
	s.Steps = []string{"quantile"}
	return []*ops.Stage{s}
}

// counts is the type in which elements are counted.
func (r *quantile) counts() ir.DType {
	if r.count > math.MaxInt32 {
		return ir.I64
	}
	return ir.I32
}

// sorted sorts all elements by a network of comparisons (Batcher's merge exchange; Knuth, The Art of Computer Programming, 5.2.2 M). Of
// these, only those are computed that the two places depend on.
func (r *quantile) sorted(b *ops.Body, t ops.Type, elem ir.DType, below int, at func([]*ir.Node) *ir.Node) (low, high, nan *ir.Node) {
	var x []*ir.Node
	steps := make([]*ir.Node, len(r.over))
	var load func(d int)
	load = func(d int) {
		if d == len(steps) {
			x = append(x, at(steps))
			return
		}
		for i := range t.Dims[r.over[d]].Size {
			steps[d] = b.I32(i)
			load(d + 1)
		}
	}
	load(0)
	if elem.Float() {
		nan = b.False()
		for _, v := range x {
			nan = b.Or(nan, b.Alu(ir.Ne, v, v))
		}
	}
	n := len(x)
	rounds := bits.Len(uint(n - 1))
	for p := 1 << max(0, rounds-1); p > 0 && n > 1; p >>= 1 {
		q, from, d := 1<<(rounds-1), 0, p
		for {
			for i := range n - d {
				if i&p == from {
					x[i], x[i+d] = b.Min(x[i], x[i+d]), b.Max(x[i], x[i+d])
				}
			}
			if q == p {
				break
			}
			d, q, from = q-p, q>>1, p
		}
	}
	return x[below], x[min(below+1, n-1)], nan
}

// searched finds the smallest element that more than below elements are not above: elements as integers in the same order, whose range is
// halved until one is left. The next one is itself, if it is there often enough, or the smallest of those above.
func (r *quantile) searched(b *ops.Body, elem ir.DType, below *ir.Node, both bool, los, his []*ir.Node, at func([]*ir.Node) *ir.Node) (low, high, nan *ir.Node) {
	whole := ir.I32
	if elem.Size() == 8 {
		whole = ir.I64
	}
	size := 8 * whole.Size()
	flip := func(v *ir.Node) *ir.Node { // negative floats count downwards
		magnitude := b.Int(whole, math.MaxInt64>>(64-size))
		return b.Alu(ir.BitXor, v, b.Alu(ir.BitAnd, b.Alu(ir.Shr, v, b.Int(whole, int64(size-1))), magnitude))
	}
	key := func(v *ir.Node) *ir.Node {
		if elem.Float() {
			return flip(b.Reinterpret(whole, v))
		}
		return v
	}
	fold := func(m ir.Monoid, start *ir.Node, term func(v *ir.Node) *ir.Node, join func(acc, x *ir.Node) *ir.Node) *ir.Node {
		var nest func(steps []*ir.Node) *ir.Node
		nest = func(steps []*ir.Node) *ir.Node {
			if len(steps) == len(r.over) {
				return term(at(steps))
			}
			spec := ir.FoldSpec{Lo: los[len(steps)], Hi: his[len(steps)], Init: []*ir.Node{start}, Monoid: m}
			return b.Fold(spec, func(i *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
				return []*ir.Node{join(acc[0], nest(append(slices.Clone(steps), i)))}, nil
			})[0]
		}
		return nest(nil)
	}
	counts := r.counts()
	notAbove := func(limit *ir.Node) *ir.Node {
		return fold(ir.Sum, b.Int(counts, 0), func(v *ir.Node) *ir.Node { return b.Cast(counts, b.Le(key(v), limit)) }, b.Add)
	}
	least, most := b.Int(whole, math.MinInt64>>(64-size)), b.Int(whole, math.MaxInt64>>(64-size))
	ends := b.Fold(ir.FoldSpec{Lo: b.I32(0), Hi: b.I32(size), Init: []*ir.Node{least, most}}, func(_ *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
		from, to := acc[0], acc[1]
		half := b.Add(b.Alu(ir.BitAnd, from, to), b.Alu(ir.Shr, b.Alu(ir.BitXor, from, to), b.Int(whole, 1))) // rounded down, without overflow
		there := b.Lt(below, notAbove(half))
		return []*ir.Node{b.Select(there, from, b.Add(half, b.Int(whole, 1))), b.Select(there, half, to)}, nil
	})
	found := ends[1]
	back := func(k *ir.Node) *ir.Node {
		if elem.Float() {
			return b.Reinterpret(elem, flip(k))
		}
		return k
	}
	low, high = back(found), back(found)
	if both {
		next := fold(ir.Smallest, most, func(v *ir.Node) *ir.Node { return b.Select(b.Lt(found, key(v)), key(v), most) }, b.Min)
		high = b.Select(b.Lt(b.Add(below, b.Int(counts, 1)), notAbove(found)), high, back(next))
	}
	if elem.Float() {
		nan = fold(ir.Any, b.False(), func(v *ir.Node) *ir.Node { return b.Alu(ir.Ne, v, v) }, b.Or)
	}
	return low, high, nan
}

// quantileOf sorts.
func quantileOf(x []complex128, q float64) complex128 {
	if len(x) == 0 {
		return complex(math.NaN(), 0)
	}
	v := make([]float64, len(x))
	for i := range x {
		if v[i] = real(x[i]); math.IsNaN(v[i]) {
			return complex(math.NaN(), 0)
		}
	}
	slices.Sort(v)
	below, part := beside(q, len(v))
	low, high := v[below], v[min(below+1, len(v)-1)]
	if part == 0 || low == high {
		return complex(low, 0)
	}
	return complex((1-part)*low+part*high, 0)
}
