// Package order holds the operators that put elements in order.
package order

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"weft/kernels/ir"
	"weft/ops"
	"weft/ops/operand"
	"weft/ops/problem"
)

const group = "reductions"

// A line is sorted in runs of so many elements, each of which is put where as many stand before it; then runs are merged by twos. What is merged
// is made in pieces, each by itself, of at most mostMerged elements.
const (
	sortedRun  = 64
	mostMerged = 4096
)

// Specs lists the operators of this package.
func Specs() []*ops.Spec {
	along := ops.Param{Name: "along", Doc: "dimension; may be left out where there is only one", Accept: ops.KSymbol}.Opt()
	last := operand.Filled(func(e ops.Expander, _ string, a ops.Array) ops.Value {
		switch {
		case a.Type().Elem.Base.Float():
			return ops.Number{V: math.NaN()}
		case a.Type().Elem == ops.Bool:
			return ops.Flag(true)
		}
		return e.Apply("max", map[string]ops.Value{"a": a})
	})
	params := []ops.Param{ops.In("a", "array of real numbers"), along}
	code := "a = array([3.0, 1, nan, 2], dims: x)\n"
	return []*ops.Spec{{
		Name: "sort", Doc: "Elements in rising order along a dimension.", Group: group, Error: operand.Exact, Params: params,
		Long:     "NaN come last, as in NumPy. The dimension has no coordinates. For a falling order reverse the result.",
		Returns:  "an array like a.",
		Examples: []ops.Example{{Title: "With one that is no number", Code: code + "show(sort(a))"}},
		Bind:     func(c *ops.Call) (ops.Op, error) { return bindSort(c, false) }, Counts: true, Expand: last, Expands: operand.Counted,
	}, {
		Name: "argsort", Doc: "Places of the elements in rising order along a dimension.", Group: group, Error: operand.Exact, Params: params,
		Long:     "a[x: argsort(a, x)] is sort(a, x). Of equal elements the first comes first; NaN come last. The dimension has no coordinates.",
		Returns:  "indices, i32, over the dimensions of a.",
		Examples: []ops.Example{{Title: "Another array in the order of one", Code: code + "b = array([10, 20, 30, 40], dims: x)\nshow(b[x: argsort(a)])"}},
		Bind:     func(c *ops.Call) (ops.Op, error) { return bindSort(c, true) }, Counts: true, Expand: last, Expands: operand.Counted,
	}}
}

// sorting is a use of sort or argsort.
type sorting struct {
	ops.Gives
	along, n int
	places   bool
	of       ops.Array
}

// Range is that of what is sorted: a loop that looks for an element's place tells nothing of it.
func (s *sorting) Range(int) (lo, hi float64, err error) {
	if s.places {
		return 0, float64(s.n - 1), nil
	}
	if lo, hi, _, ok := ops.Bounds(s.of); ok {
		return lo, hi, nil
	}
	return math.Inf(-1), math.Inf(1), nil
}

func bindSort(c *ops.Call, places bool) (ops.Op, error) {
	t := c.Type("a")
	along, err := operand.Line(c, t)
	switch {
	case err != nil:
		return nil, err
	case t.Elem.Complex:
		return nil, problem.Wrong(problem.WrongElementType, "a", "take abs, real or imag of it first", "%s needs real numbers, and this is complex: %s", operand.Called(c.Spec.Name), t)
	}
	out := ops.Type{Elem: t.Elem.Widen(), Dims: slices.Clone(t.Dims), Unit: t.Unit}
	out.Dims[along] = ops.Dim{Name: t.Dims[along].Name, Size: t.Dims[along].Size}
	if places {
		out.Elem, out.Unit = ops.I32, ops.Unit{}
	}
	of, _ := c.Args["a"].(ops.Array)
	return &sorting{ops.One(out), along, t.Dims[along].Size, places, of}, nil
}

// notAfter reports whether x stands before y or beside it: NaN stand behind all.
func notAfter(b *ops.Body, x, y *ir.Node) *ir.Node {
	switch {
	case x.Type.Float():
		return b.Or(b.Le(x, y), b.Alu(ir.Ne, y, y))
	case x.Type == ir.Bool:
		return b.Or(b.Not(x), y)
	}
	return b.Le(x, y)
}

// lines are elements on their way to their places: what they are, and where they stood, if that is asked for.
type lines struct{ value, place *ops.Stage }

// parts are the stages of lines.
func (s lines) parts() []*ops.Stage {
	if s.place == nil {
		return []*ops.Stage{s.value}
	}
	return []*ops.Stage{s.value, s.place}
}

// Lower sorts runs, then merges them by twos.
func (s *sorting) Lower(l *ops.Lowering) []*ops.Stage {
	in, out := l.In("a"), s.Outputs()[0].Type
	of := in.Type
	of.Elem, of.Dims = of.Elem.Widen(), out.Dims
	line := lines{value: l.Stage("elements", of, []*ops.Stage{in}, func(b *ops.Body, at []*ir.Node) ops.Elem { return in.At(b, at...) })}
	if s.places {
		where := of
		where.Elem, where.Unit = ops.I32, ops.Unit{}
		line.place = l.Stage("places", where, nil, func(_ *ops.Body, at []*ir.Node) ops.Elem { return ops.Real(at[s.along]) })
	}
	line = s.runs(l, line)
	for run := sortedRun; run < s.n; run *= 2 {
		line = s.merged(l, line, run)
	}
	last := line.value
	if s.places {
		last = line.place
	}
	result := l.Stage("", out, []*ops.Stage{last}, func(b *ops.Body, at []*ir.Node) ops.Elem {
		x := last.At(b, at...)
		if s.places { // so that it is known where they lie
			x.Re = b.Max(b.I32(0), b.Min(x.Re, b.I32(s.n-1)))
		}
		return x
	})
	result.Steps, result.Exact = []string{l.Op.Spec.Name}, true
	return []*ops.Stage{result}
}

// cut is an index of pieces of the lines, of so many elements each, with an element in place of the piece.
func (s *sorting) cut(of []ops.Dim, each int) (axes []ops.Dim) {
	axes = slices.Clone(of)
	axes[s.along].Size = (s.n + each - 1) / each
	return axes
}

func (s *sorting) with(at []*ir.Node, i *ir.Node) []*ir.Node {
	out := slices.Clone(at)
	out[s.along] = i
	return out
}

// made are lines whose pieces are made by themselves: element finds one of them by its definition, and write what each turn of a piece stores.
func (s *sorting) made(l *ops.Lowering, name string, from lines, inputs []*ops.Stage, each int,
	element func(b *ops.Body, of *ops.Stage, at []*ir.Node) ops.Elem,
	turns func(b *ops.Body, piece []*ir.Node, of []*ops.Stage) (f *ir.Fold, place *ir.Node, value []ops.Elem)) lines {
	var out []*ops.Stage
	type owner struct{ *ops.Stage }
	parts := from.parts()
	for i, p := range parts {
		made := l.Stage(name+[]string{"", ".places"}[i], p.Type, inputs, func(b *ops.Body, at []*ir.Node) ops.Elem { return element(b, p, at) })
		made.Exact = true
		made.Put = &ops.Put{Axes: s.cut(p.Type.Dims, each), Writes: func(b *ops.Body, piece []*ir.Node) []ops.Write {
			var f *ir.Fold
			shared := b.Once(owner{from.value}, piece, func() []*ir.Node {
				var nodes []*ir.Node
				fold, place, values := turns(b, piece, parts)
				f, nodes = fold, []*ir.Node{fold.Node, place}
				for _, v := range values {
					nodes = append(nodes, v.Re)
				}
				return nodes
			})
			if f == nil {
				f = shared[0].Fold
			}
			return []ops.Write{{In: f, At: s.with(piece, shared[1]), Value: ops.Real(shared[2+i])}}
		}}
		made.Steps = []string{"sort"}
		out = append(out, made)
	}
	if len(out) == 1 {
		out = append(out, nil)
	}
	return lines{out[0], out[1]}
}

// runs puts each element where as many of its run stand before it.
func (s *sorting) runs(l *ops.Lowering, from lines) lines {
	dims := from.value.Type.Dims
	inRun := func(b *ops.Body, run *ir.Node) (lo, hi *ir.Node) {
		lo = b.Mul(run, b.I32(sortedRun))
		return lo, ops.ChunkEnd(b, lo, sortedRun, s.n)
	}
	ranks := slices.Insert(s.cut(dims, sortedRun), s.along+1, ops.Dim{Name: "entry", Size: min(s.n, sortedRun)})
	rank := l.Stage("rank", ops.Type{Elem: ops.I32, Dims: ranks}, from.parts(), func(b *ops.Body, at []*ir.Node) ops.Elem {
		rest := slices.Delete(slices.Clone(at), s.along+1, s.along+2)
		lo, hi := inRun(b, at[s.along])
		k := b.Min(b.Add(lo, at[s.along+1]), b.I32(s.n-1))
		own := from.value.At(b, s.with(rest, k)...).Re
		count := b.Fold(ir.FoldSpec{Lo: lo, Hi: hi, Init: []*ir.Node{b.I32(0)}, Monoid: ir.Sum}, func(j *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
			x := from.value.At(b, s.with(rest, j)...).Re
			before := b.Select(b.Lt(j, k), notAfter(b, x, own), b.Not(notAfter(b, own, x)))
			return []*ir.Node{b.Add(acc[0], b.Cast(ir.I32, before))}, nil
		})
		return ops.Real(count[0])
	})
	rank.Exact = true
	ranked := func(b *ops.Body, rest []*ir.Node, run, i *ir.Node) *ir.Node {
		return rank.At(b, slices.Insert(s.with(rest, run), s.along+1, i)...).Re
	}
	return s.made(l, "runs", from, append(from.parts(), rank), sortedRun,
		func(b *ops.Body, of *ops.Stage, at []*ir.Node) ops.Elem {
			run := b.Alu(ir.Div, at[s.along], b.I32(sortedRun))
			lo, hi := inRun(b, run)
			first := of.At(b, s.with(at, lo)...).Re
			found := b.Fold(ir.FoldSpec{Lo: lo, Hi: hi, Init: []*ir.Node{first}}, func(j *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
				here := b.Alu(ir.Eq, b.Add(lo, ranked(b, at, run, b.Sub(j, lo))), at[s.along])
				return []*ir.Node{b.Select(here, of.At(b, s.with(at, j)...).Re, acc[0])}, nil
			})
			return ops.Real(found[0])
		},
		func(b *ops.Body, piece []*ir.Node, of []*ops.Stage) (f *ir.Fold, place *ir.Node, value []ops.Elem) {
			lo, hi := inRun(b, piece[s.along])
			f = b.Fold(ir.FoldSpec{Lo: lo, Hi: hi, Init: piece}, func(_ *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) { return acc, nil })[0].Fold
			for _, p := range of {
				value = append(value, p.At(b, s.with(piece, f.Index)...))
			}
			place = b.Add(lo, ranked(b, piece, piece[s.along], b.Sub(f.Index, lo)))
			return f, b.Max(lo, b.Min(place, b.I32(s.n-1))), value // inside, as a plan that is read can see
		})
}

// merged joins runs by twos.
func (s *sorting) merged(l *ops.Lowering, from lines, run int) lines {
	each := min(2*run, mostMerged)
	// pair are the first elements of the two runs that a place is in, and the end of the other one.
	pair := func(b *ops.Body, k *ir.Node) (first, second, end *ir.Node) {
		first = b.Mul(b.Alu(ir.Div, k, b.I32(2*run)), b.I32(2*run))
		second = ops.ChunkEnd(b, first, run, s.n)
		return first, second, ops.ChunkEnd(b, second, run, s.n)
	}
	held := func(b *ops.Body, k *ir.Node) *ir.Node { return b.Min(k, b.I32(s.n-1)) }
	// taken is how many of the first run stand before a place: halved, as more and more of both are known to.
	taken := func(b *ops.Body, at []*ir.Node, k *ir.Node) *ir.Node {
		first, second, end := pair(b, k)
		before := b.Sub(k, first)
		value := func(i *ir.Node) *ir.Node { return from.value.At(b, s.with(at, held(b, i))...).Re }
		least := b.Max(b.I32(0), b.Sub(before, b.Sub(end, second)))
		most := b.Min(before, b.Sub(second, first))
		ends := b.Fold(ir.FoldSpec{Lo: b.I32(0), Hi: b.I32(bits.Len(uint(run))), Init: []*ir.Node{least, most}}, func(_ *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
			half := b.Alu(ir.Shr, b.Add(acc[0], acc[1]), b.I32(1))
			other := b.Max(b.I32(0), b.Sub(b.Add(second, b.Sub(before, half)), b.I32(1)))
			more := b.And(b.Lt(acc[0], acc[1]), notAfter(b, value(b.Add(first, half)), value(other)))
			return []*ir.Node{b.Select(more, b.Add(half, b.I32(1)), acc[0]), b.Select(more, acc[1], b.Min(half, acc[1]))}, nil
		})
		return ends[0]
	}
	// next is whether the first run gives the element at a place, so many of it being taken, and where that is.
	next := func(b *ops.Body, at []*ir.Node, k, i *ir.Node) (first, where *ir.Node) {
		from1, from2, end := pair(b, k)
		x, y := b.Add(from1, i), b.Add(from2, b.Sub(b.Sub(k, from1), i))
		ordered := notAfter(b, from.value.At(b, s.with(at, held(b, x))...).Re, from.value.At(b, s.with(at, held(b, y))...).Re)
		first = b.And(b.Lt(x, from2), b.Or(b.Le(end, y), ordered))
		return first, held(b, b.Select(first, x, y))
	}
	return s.made(l, fmt.Sprint("merged.", run), from, from.parts(), each,
		func(b *ops.Body, of *ops.Stage, at []*ir.Node) ops.Elem {
			_, where := next(b, at, at[s.along], taken(b, at, at[s.along]))
			return of.At(b, s.with(at, where)...)
		},
		func(b *ops.Body, piece []*ir.Node, of []*ops.Stage) (f *ir.Fold, place *ir.Node, value []ops.Elem) {
			lo := b.Mul(piece[s.along], b.I32(each))
			spec := ir.FoldSpec{Lo: lo, Hi: ops.ChunkEnd(b, lo, each, s.n), Init: append([]*ir.Node{taken(b, piece, lo)}, piece...)}
			state := b.Fold(spec, func(k *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
				first, _ := next(b, piece, k, acc[0])
				return append([]*ir.Node{b.Add(acc[0], b.Cast(ir.I32, first))}, acc[1:]...), nil
			})
			f = state[0].Fold
			_, where := next(b, piece, f.Index, f.Accs[0])
			for _, p := range of {
				value = append(value, p.At(b, s.with(piece, where)...))
			}
			return f, f.Index, value
		})
}

// Reference sorts in plain Go.
func (s *sorting) Reference(in map[string]ops.Dense) ([]ops.Dense, error) {
	a := in["a"]
	out := ops.NewDense(false, a.Shape...)
	stride := a.Strides()[s.along]
	order := make([]int, s.n)
	for i, index := range ops.Indices(a.Shape) {
		if index[s.along] > 0 {
			continue
		}
		for k := range order {
			order[k] = k
		}
		slices.SortStableFunc(order, func(x, y int) int {
			p, q := a.Re[i+x*stride], a.Re[i+y*stride]
			switch {
			case p != p || q != q:
				return map[bool]int{true: 1}[p != p] - map[bool]int{true: 1}[q != q]
			case p < q:
				return -1
			case p > q:
				return 1
			}
			return 0
		})
		for k, from := range order {
			if out.Re[i+k*stride] = a.Re[i+from*stride]; s.places {
				out.Re[i+k*stride] = float64(from)
			}
		}
	}
	return []ops.Dense{out}, nil
}
