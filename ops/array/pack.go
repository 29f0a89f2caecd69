package array

import (
	"errors"
	"maps"
	"math"
	"slices"

	"weft/kernels/ir"
	"weft/ops"
	"weft/ops/operand"
	"weft/ops/problem"
)

func packSpec() *ops.Spec {
	return &ops.Spec{
		Name: "pack", Doc: "The elements for which a mask holds, one after the other.", Group: groupCompare, Error: operand.Rounded,
		Long: "Elements keep their order along the dimension. What comes after the first at_most of them is left out, and `count`, which counts them all, tells of it; " +
			"where there are fewer, `fill` follows: NaN in floats, 0 in integers and false in booleans when it is left out.",
		Returns: "a record of `value`, at_most elements in place of the dimension, without coordinates, and `count`, how often the mask holds, an i64 array over the other dimensions.",
		Params: []ops.Param{ops.In("a", "array"), ops.In("mask", "which elements: booleans over the same dimensions").Of(""),
			ops.Count("at_most", "how many elements there is room for; as many as there are when left out, along the only dimension").Within(1, math.MaxInt32).Opt(),
			ops.Param{Name: "along", Doc: "dimension; may be left out where there is only one", Accept: ops.KSymbol}.Opt(),
			ops.Param{Name: "fill", Doc: "what follows the last one", Accept: ops.KNumber | ops.KBool, Unit: "*"}.Opt()},
		Examples: []ops.Example{{Title: "What is above a threshold", Code: "t = axis(t, 0 s .. 9 s in 10)\nloud = pack(t, sin(t * (1 rad/s)) > 0.5, at_most: 6)\nshow(loud.value)\nshow(loud.count)"}},
		Bind:     bindPack,
		Expand:   packAll,
		Expands:  func(c *ops.Call) bool { return !c.Has("at_most") },
	}
}

// packAll packs all that there is.
func packAll(c *ops.Call, e ops.Expander) (ops.Value, error) {
	t := c.Type("a")
	if len(t.Dims) != 1 {
		return nil, problem.Wrong(problem.MissingArgument, "", "say how many there is room for, by at_most", "lines of an array may differ in how many elements the mask picks, and this is %s", t)
	}
	args := maps.Clone(c.Args)
	args["at_most"] = ops.Integer(max(1, t.Dims[0].Size))
	out, ok := e.Apply(c.Spec.Name, args).(ops.Record)
	if !ok {
		return nil, nil
	}
	value := e.Apply("leading", map[string]ops.Value{"a": out.Fields["value"], "count": out.Fields["count"]})
	if value == nil {
		return nil, nil
	}
	return ops.Record{Names: out.Names, Fields: map[string]ops.Value{"value": value, "count": out.Fields["count"]}}, nil
}

// pack is a use of pack.
type pack struct {
	value, count ops.Type
	from         ops.Type
	along        int
	fill         float64
	of           ops.Array
}

// Whole tells whether what it packs is whole numbers.
func (p *pack) Whole() bool { return ops.IsWhole(p.of) && p.fill == math.Trunc(p.fill) }

// Range bounds the elements, and how many there are.
func (p *pack) Range(output int) (lo, hi float64, err error) {
	if output == 1 {
		return 0, float64(p.from.Dims[p.along].Size), nil
	}
	lo, hi, _, ok := ops.Bounds(p.of)
	if !ok {
		return math.Inf(-1), math.Inf(1), nil
	}
	if p.fill == p.fill {
		lo, hi = math.Min(lo, p.fill), math.Max(hi, p.fill)
	}
	return lo, hi, nil
}

func bindPack(c *ops.Call) (ops.Op, error) {
	t, mask := c.Type("a"), c.Type("mask")
	if mask.Elem != ops.Bool || !ops.SameDims(mask.Dims, t.Dims) {
		return nil, problem.Wrong(problem.WrongDims, "mask", "compare the array with something, say", "a mask holds booleans over the dimensions of the array, in its order: this is %s, and the array %s", mask, t)
	}
	along, err := operand.Line(c, t)
	fill, fillErr := operand.Element(c, "fill", t)
	if err := errors.Join(err, fillErr); err != nil {
		return nil, err
	}
	if !c.Has("fill") && t.Elem.Base.Float() {
		fill = math.NaN()
	}
	p := &pack{value: t, from: t, along: along, fill: fill}
	p.of, _ = c.Array("a")
	p.value.Dims = slices.Clone(t.Dims)
	p.value.Dims[along] = ops.Dim{Name: t.Dims[along].Name, Size: c.Int("at_most")}
	p.count = ops.Type{Elem: ops.I64, Dims: operand.Without(t.Dims, []int{along})}
	return p, nil
}

// Outputs are the elements and their number.
func (p *pack) Outputs() []ops.Output {
	return []ops.Output{{Name: "value", Type: p.value}, {Name: "count", Type: p.count}}
}

// Lower stores the mask, which is then the same for all that reads it, counts what is in each chunk of a line, and what is before each;
// then every chunk stores its own, and its share of what follows the last of all.
func (p *pack) Lower(l *ops.Lowering) []*ops.Stage {
	in, mask := l.In("a"), l.In("mask")
	size, most := p.from.Dims[p.along].Size, p.value.Dims[p.along].Size
	zero := func(b *ops.Body, _ []*ir.Node) []*ir.Node { return []*ir.Node{b.Const(ir.I64, 0)} }
	keep := func(_ *ops.Body, state, _ []*ir.Node) ops.Elem { return ops.Real(state[0]) }
	total := func(of *ops.Stage) func(b *ops.Body, at, state []*ir.Node) []*ir.Node {
		return func(b *ops.Body, at, state []*ir.Node) []*ir.Node {
			return []*ir.Node{b.Add(state[0], b.Cast(ir.I64, of.At(b, at...).Re))}
		}
	}
	chosen := l.Stage("chosen", ops.Type{Elem: ops.Bool, Dims: p.from.Dims}, []*ops.Stage{mask}, func(b *ops.Body, index []*ir.Node) ops.Elem { return mask.At(b, index...) })
	s := &ops.Scan{Dims: p.from.Dims, Along: p.along, Chunk: chunkOf(p.from, p.along), Start: zero, Step: total(chosen)}
	totals := l.Totals("totals", ops.I64, ops.Unit{}, []*ops.Stage{chosen}, s, func(b *ops.Body, state []*ir.Node) ops.Elem { return keep(b, state, nil) })
	chunks := totals.Type.Dims
	before := l.Scan("before", ops.I64, ops.Unit{}, []*ops.Stage{totals}, &ops.Scan{Dims: chunks, Along: p.along, Start: zero, Step: total(totals)}, keep)
	count := l.Stage("count", p.count, []*ops.Stage{totals}, func(b *ops.Body, index []*ir.Node) ops.Elem {
		at := slices.Insert(slices.Clone(index), p.along, nil)
		_, state := b.Nest([]*ir.Node{b.I32(chunks[p.along].Size)}, nil, zero(b, nil), func(steps, state []*ir.Node) []*ir.Node {
			at[p.along] = steps[0]
			return total(totals)(b, at, state)
		})
		return ops.Real(state[0])
	})
	value := l.Stage("value", p.value, []*ops.Stage{in, chosen, before, count}, func(b *ops.Body, index []*ir.Node) ops.Elem {
		return p.find(b, in, chosen, index)
	})
	chosen.Exact, value.Exact = true, true
	at := func(chunk []*ir.Node, i *ir.Node) []*ir.Node {
		at := slices.Clone(chunk)
		at[p.along] = i
		return at
	}
	// share goes through a chunk's share of n elements along the line, and varies with the axes, so that it may store at them.
	share := func(b *ops.Body, n int, chunk, start []*ir.Node, body func(i *ir.Node, state []*ir.Node) []*ir.Node) *ir.Fold {
		each := (n + chunks[p.along].Size - 1) / chunks[p.along].Size
		if n == size && s.Chunk > 0 {
			each = s.Chunk
		}
		lo := b.Mul(chunk[p.along], b.I32(each))
		hi := ops.ChunkEnd(b, lo, each, n)
		run := b.Fold(ir.FoldSpec{Name: p.from.Dims[p.along].Name, Lo: lo, Hi: hi, Init: append(start, chunk...)}, func(i *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
			return append(body(i, acc[:len(start)]), acc[len(start):]...), nil
		})
		return run[0].Fold
	}
	chosen.Put = &ops.Put{Axes: chunks, Writes: func(b *ops.Body, chunk []*ir.Node) []ops.Write {
		f := share(b, size, chunk, nil, func(_ *ir.Node, state []*ir.Node) []*ir.Node { return state })
		here := at(chunk, f.Index)
		return []ops.Write{{In: f, At: here, Value: mask.At(b, here...)}}
	}}
	value.Put = &ops.Put{Axes: chunks, Writes: func(b *ops.Body, chunk []*ir.Node) []ops.Write {
		stores := share(b, size, chunk, []*ir.Node{before.At(b, chunk...).Re}, func(i *ir.Node, state []*ir.Node) []*ir.Node {
			return total(chosen)(b, at(chunk, i), state)
		})
		here, place := at(chunk, stores.Index), stores.Accs[0]
		on := b.And(chosen.At(b, here...).Re, b.Lt(place, b.Const(ir.I64, float64(most))))
		fills := share(b, most, chunk, nil, func(_ *ir.Node, state []*ir.Node) []*ir.Node { return state })
		all := count.At(b, slices.Delete(slices.Clone(chunk), p.along, p.along+1)...).Re
		x := in.At(b, here...)
		return []ops.Write{
			{In: stores, At: at(chunk, b.Cast(ir.I32, place)), Value: x, Where: on},
			{In: fills, At: at(chunk, fills.Index), Value: p.filled(b, x.Re.Type), Where: b.Le(all, b.Cast(ir.I64, fills.Index))},
		}
	}}
	value.Steps = []string{"pack"}
	return []*ops.Stage{value, count}
}

// filled is what follows the last element.
func (p *pack) filled(b *ops.Body, t ir.DType) ops.Elem {
	x := ops.Real(b.Const(t, p.fill))
	if p.value.Elem.Complex {
		x.Im = x.Re
		if p.fill == p.fill {
			x.Im = b.Const(t, 0)
		}
	}
	return x
}

// find looks for one element along its line.
func (p *pack) find(b *ops.Body, in, chosen *ops.Stage, index []*ir.Node) ops.Elem {
	wanted, at := index[p.along], slices.Clone(index)
	at[p.along] = b.I32(0)
	none := p.filled(b, in.At(b, at...).Re.Type)
	start := append(parts(b, none, p.value.Elem.Complex), b.I32(0))
	state := b.Fold(ir.FoldSpec{Lo: b.I32(0), Hi: b.I32(p.from.Dims[p.along].Size), Init: start}, func(i *ir.Node, state []*ir.Node) ([]*ir.Node, *ir.Node) {
		at := slices.Clone(index)
		at[p.along] = i
		seen, set := state[len(state)-1], chosen.At(b, at...).Re
		this := b.And(set, b.Alu(ir.Eq, seen, wanted))
		var next []*ir.Node
		for k, x := range parts(b, in.At(b, at...), p.value.Elem.Complex) {
			next = append(next, b.Select(this, x, state[k]))
		}
		return append(next, b.Add(seen, b.Cast(ir.I32, set))), b.Le(seen, wanted)
	})
	return ops.ElemOf(state[:len(state)-1])
}

// Reference packs in plain Go.
func (p *pack) Reference(in map[string]ops.Dense) ([]ops.Dense, error) {
	a, mask := in["a"], in["mask"]
	value, count := ops.NewDense(p.value.Elem.Complex, p.value.Shape()...), ops.NewDense(false, p.count.Shape()...)
	fill := complex(p.fill, 0)
	if p.fill != p.fill {
		fill = complex(p.fill, p.fill)
	}
	for i := range value.Len() {
		value.Set(i, fill)
	}
	to, from := value.Strides(), count.Strides()
	for i, index := range ops.Indices(a.Shape) {
		if mask.Re[i] == 0 {
			continue
		}
		line, rest := 0, 0
		for d, k := range index {
			if d != p.along {
				line += k * to[d]
			}
		}
		for d, k := range slices.Delete(slices.Clone(index), p.along, p.along+1) {
			rest += k * from[d]
		}
		if seen := int(count.Re[rest]); seen < p.value.Dims[p.along].Size {
			value.Set(line+seen*to[p.along], a.At(i))
		}
		count.Re[rest]++
	}
	return []ops.Dense{value, count}, nil
}
