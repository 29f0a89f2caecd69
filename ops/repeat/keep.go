package repeat

import (
	"maps"
	"math"
	"math/bits"
	"slices"

	"weft/kernels/ir"
	"weft/ops"
	"weft/ops/operand"
)

// What a scan keeps of its turns lies in one line. Counting makes the turns: it finds how many each element of the state keeps, and with that where
// those of each begin, and puts the first of each aside, where it has room for so many. Storing brings them to their places; only where an element
// keeps more than it has room for, its turns are made again.

// counting finds how many states each element keeps, how many all before it do, with these in a line, and how many there are. Behind these it
// gives the first states of each element.
type counting struct {
	*recurrence
	room   int     // states of an element that are put aside
	each   float64 // the most that elements keep, on average
	likely float64 // share of the states that there is room for in all
}

// Likely is what the program says or, where that is not told, all that there is room for if this is told, else as much as what is put aside has room for.
func (c counting) Likely(int) float64 { return c.likely }

// storing puts the states that are kept one after the other.
type storing struct {
	counting
	within *[][2]float64 // of each part: what whole numbers lie between that a turn has from elsewhere
}

// Rooms have space for so many times what elements keep on average at most or, where that is not told, for one of so many turns.
const (
	roomy = 2
	rare  = 8
)

// Range is what is known of a part before it runs.
func (k storing) Range(part int) (lo, hi float64, err error) {
	w := (*k.within)[part]
	return w[0], w[1], nil
}

// between are the bounds of whole numbers, as those of what is gone through where they stand for its elements.
func between(v ops.Value) [2]float64 {
	a, array := v.(ops.Array)
	if array && a.Type().Elem.Base.Int() {
		if c, ok := a.Of.Bound.(ops.Carried); ok && c.Of != nil {
			return between(*c.Of)
		}
		if lo, hi, _, ok := ops.Bounds(a); ok {
			return [2]float64{lo, hi}
		}
	}
	return [2]float64{math.Inf(-1), math.Inf(1)}
}

// kept gives the states that are kept, how many each element of the state has, and where the first of these is.
func (f *folding) kept(r *recurrence, types []ops.Type, after []operand.Operand) (ops.Value, error) {
	at := 0
	keep := f.e.Call(f.c.Args["keep"], rebuilt(f.c.Args["from"], func(ops.Value) ops.Value { at++; return after[at-1].Value }))
	if keep == nil {
		return nil, nil
	}
	var err error
	if f.args["keep"] = keep; keep.Kind() != ops.KBool {
		if _, err = condition("keep", keep, types[0].Dims); err != nil {
			return nil, err
		}
	}
	spec, dims := recurrences["scan"], types[0].Dims
	line, most := ops.Dim{Name: "line", Size: ops.Type{Dims: dims}.Len()}, r.along.Size
	for _, d := range dims {
		if !slices.ContainsFunc(f.ends, func(e operand.Operand) bool { return e.Type.Dim(d.Name) >= 0 }) {
			most *= d.Size
		}
	}
	each, likely := (most+rare*line.Size-1)/(rare*line.Size), 1.0/rare
	if f.c.Has("at_most") {
		most, likely = f.c.Int("at_most"), 1
		each = min(most, roomy*((most+line.Size-1)/line.Size))
	}
	if f.c.Has("likely") && f.c.Number("likely") > 0 {
		likely = f.c.Number("likely")
	}
	counts, stores := *r, *r
	c := counting{&counts, max(1, min(each, r.along.Size)), float64(most) / float64(line.Size), likely}
	counts.Gives = ops.Gives{{Name: "count", Type: ops.Type{Elem: ops.I64, Dims: dims}}, {Name: "before", Type: ops.Type{Elem: ops.I64, Dims: []ops.Dim{line}}},
		{Name: "total", Type: ops.Type{Elem: ops.I64}}, {Name: "first", Type: ops.Type{Elem: ops.I64, Dims: dims}}}
	for i, t := range types {
		t.Dims = append(slices.Clone(dims), ops.Dim{Name: r.along.Name, Size: c.room})
		counts.Gives = append(counts.Gives, ops.Output{Name: "aside." + f.first[i].Name, Type: t})
	}
	err = trial{lower: func(l *ops.Lowering) []*ops.Stage { return c.Lower(l)[:1] }}.run(&ops.Instance{Spec: spec, Call: &ops.Call{Spec: spec, Args: f.args}})
	if err != nil {
		return nil, err
	}
	lines := f.e.Use(spec, c, maps.Clone(f.args))
	var counted ops.List
	for i := range counts.Gives {
		counted = append(counted, ops.Array{Of: lines, Out: i})
	}
	total := counted[2].(ops.Array)
	var within [][2]float64
	for i, t := range types {
		within = append(within, between(after[i].Value))
		t.Dims = []ops.Dim{{Name: r.along.Name, Size: most, Count: &total}}
		stores.Gives = append(stores.Gives, ops.Output{Name: f.first[i].Name, Type: t})
	}
	f.args["counted"] = counted
	op := f.e.Use(spec, storing{counting{&stores, c.room, c.each, likely}, &within}, f.args)
	at = 0
	value := rebuilt(f.c.Args["from"], func(ops.Value) ops.Value { at++; return ops.Array{Of: op, Out: at - 1} })
	return ops.Record{Names: []string{"value", "count", "first"}, Fields: map[string]ops.Value{"value": value, "count": counted[0], "first": counted[3]}}, nil
}

// kept is a fold over the turns of an element, which counts on from some number those whose state is kept.
type kept struct {
	end    []*ir.Node // of what the turns carry besides the state: the number first
	number *ir.Node   // before a turn
	keep   *ir.Node   // whether the state after a turn is kept
	next   []*ir.Node // that state
}

// walk makes the turns of an element. They carry what it takes to know which are kept, what follows from the state if all of it is asked for, and
// what besides gives, from first on.
func (t *turn) walk(b *ops.Body, at []*ir.Node, all bool, number *ir.Node, first []*ir.Node,
	besides func(k kept, acc []*ir.Node) (next []*ir.Node, while *ir.Node)) (k kept) {
	start := t.elements(b, t.from, at)
	carried := make([]bool, len(start))
	fold := func(then func(accs []*ir.Node)) {
		spec := ir.FoldSpec{Name: t.along.Name, Init: append([]*ir.Node{number}, first...)}
		n := len(spec.Init)
		for q, x := range start {
			if carried[q] {
				spec.Init = append(spec.Init, x)
			}
		}
		spec.Lo, spec.Hi = t.turns(b, at)
		k.end = b.Fold(spec, func(i *ir.Node, acc []*ir.Node) (after []*ir.Node, while *ir.Node) {
			state, of := slices.Clone(start), acc[n:]
			for q := range state {
				if carried[q] {
					state[q], of = of[0], of[1:]
				}
			}
			in := t.body(b, at, i, t.split(b, at, state))
			k.number, k.keep, k.next = acc[0], t.keeps[0].Read(in, ir.Bool, at).Re, t.elements(in, t.next, at)
			more, while := besides(k, acc[1:n])
			after = append([]*ir.Node{b.Add(acc[0], b.Cast(ir.I64, k.keep))}, more...)
			for q, x := range k.next {
				if carried[q] {
					after = append(after, x)
				}
			}
			then(acc[n:])
			return after, while
		})[:n]
	}
	for q := range carried {
		carried[q] = true
	}
	fold(func(accs []*ir.Node) {
		roots := []*ir.Node{k.keep}
		if all {
			roots = append(roots, k.next...)
		}
		for read := -1; read != len(roots); { // what a turn reads of the state, and what that follows from
			read = len(roots)
			ir.WalkNodes(roots, func(x *ir.Node) {
				if q := slices.Index(accs, x); q >= 0 && !slices.Contains(roots[:read], k.next[q]) {
					roots = append(roots, k.next[q])
				}
			})
		}
		clear(carried)
		ir.WalkNodes(roots, func(x *ir.Node) {
			if q := slices.Index(accs, x); q >= 0 {
				carried[q] = true
			}
		})
	})
	fold(func([]*ir.Node) {})
	return k
}

// once makes the turns of an element once for all that a kernel makes of them.
func (t *turn) once(b *ops.Body, at []*ir.Node, number func() *ir.Node, while func() *ir.Node) kept {
	of := b.Once(t, at, func() []*ir.Node {
		k := t.walk(b, at, true, number(), at, func(_ kept, acc []*ir.Node) ([]*ir.Node, *ir.Node) { return acc, while() })
		return append([]*ir.Node{k.end[0], k.number, k.keep}, k.next...)
	})
	return kept{of[:1], of[1], of[2], of[3:]}
}

// Lower counts in folds.
func (c counting) Lower(l *ops.Lowering) []*ops.Stage {
	t, inputs := c.turn(l)
	steps, exact := t.steps()
	walked := func(b *ops.Body, at []*ir.Node) kept {
		return t.once(b, at, func() *ir.Node { return b.Const(ir.I64, 0) }, func() *ir.Node { return nil })
	}
	count := l.Stage("count", c.Gives[0].Type, inputs, func(b *ops.Body, at []*ir.Node) ops.Elem { return ops.Real(walked(b, at).end[0]) })
	count.Steps, count.Exact, count.Facts.Each = append(steps, "count"), exact, c.each
	line := c.Gives[1].Type.Dims
	of := func(b *ops.Body, i *ir.Node) *ir.Node { return count.At(b, inLine(b, t.dims, i)...).Re }
	before := l.Scan("before", ops.I64, ops.Unit{}, []*ops.Stage{count}, &ops.Scan{Dims: line,
		Start: func(b *ops.Body, _ []*ir.Node) []*ir.Node { return []*ir.Node{b.Const(ir.I64, 0)} },
		Step:  func(b *ops.Body, at, state []*ir.Node) []*ir.Node { return []*ir.Node{b.Add(state[0], of(b, at[0]))} },
	}, func(_ *ops.Body, before, _ []*ir.Node) ops.Elem { return ops.Real(before[0]) })
	total := l.Stage("total", c.Gives[2].Type, []*ops.Stage{before, count}, func(b *ops.Body, _ []*ir.Node) ops.Elem {
		last := b.I32(line[0].Size - 1)
		return ops.Real(b.Add(before.At(b, last).Re, of(b, last)))
	})
	first := l.Stage("first", c.Gives[3].Type, []*ops.Stage{before}, func(b *ops.Body, at []*ir.Node) ops.Elem { return before.At(b, number(b, t.dims, at)) })
	out := []*ops.Stage{count, before, total, first}
	for _, s := range out {
		s.Facts.Likely = c.Likely(0)
	}
	for part, o := range c.Gives[len(out):] {
		s := l.Stage(o.Name, o.Type, inputs, func(b *ops.Body, index []*ir.Node) ops.Elem {
			at, place := index[:len(t.dims)], index[len(t.dims)]
			return ops.ElemOf(t.nth(b, at, b.Const(ir.I64, 0), b.Cast(ir.I64, place))[part][0])
		})
		s.Put = &ops.Put{Axes: t.dims, Finds: count, Writes: func(b *ops.Body, at []*ir.Node) []ops.Write {
			k := walked(b, at)
			rest := b.Once(c, at, func() []*ir.Node {
				used := b.Cast(ir.I32, b.Max(b.Min(k.end[0], b.Const(ir.I64, float64(c.room))), b.Const(ir.I64, 0)))
				return []*ir.Node{b.Turns(t.along.Name, used, b.I32(c.room), at, func(*ir.Node) {}).Node}
			})[0].Fold
			state := t.split(b, at, k.next)[part][0]
			var none []*ir.Node
			for _, x := range state {
				none = append(none, b.Const(x.Type, 0))
			}
			return []ops.Write{
				{In: k.end[0].Fold, At: append(slices.Clone(at), b.Cast(ir.I32, k.number)), Value: ops.ElemOf(state),
					Where: b.And(k.keep, b.Lt(k.number, b.Const(ir.I64, float64(c.room))))},
				{In: rest, At: append(slices.Clone(at), rest.Index), Value: ops.ElemOf(none)},
			}
		}}
		s.Steps, s.Exact = append(steps[:len(steps):len(steps)], "keep"), exact
		out = append(out, s)
	}
	return out
}

// inLine is the index in dims of an element by its number in C order.
func inLine(b *ops.Body, dims []ops.Dim, i *ir.Node) []*ir.Node {
	at := make([]*ir.Node, len(dims))
	for d := len(dims) - 1; d >= 0; d-- {
		at[d] = i
		if size := b.I32(dims[d].Size); d > 0 {
			at[d], i = b.Mod(i, size), b.Div(i, size)
		}
	}
	return at
}

// number is that of an element in C order.
func number(b *ops.Body, dims []ops.Dim, at []*ir.Node) *ir.Node {
	i := b.I32(0)
	for d, x := range at {
		i = b.Add(b.Mul(i, b.I32(dims[d].Size)), x)
	}
	return i
}

// Lower brings states to their places, and stores in the turns of elements that had no room for all.
func (k storing) Lower(l *ops.Lowering) (out []*ops.Stage) {
	t, inputs := k.turn(l)
	counted := l.Lists["counted"]
	count, before, aside := counted[0], counted[1], counted[4:]
	steps, exact := t.steps()
	for part, o := range k.Gives {
		s := l.Stage(o.Name, o.Type, append(slices.Clone(inputs), aside[part], count, before), func(b *ops.Body, at []*ir.Node) ops.Elem {
			return ops.ElemOf(t.find(b, before, at[0])[part][0])
		})
		s.Put = &ops.Put{Axes: t.dims, Starts: before, Writes: func(b *ops.Body, at []*ir.Node) []ops.Write {
			all, start := count.At(b, at...).Re, before.At(b, number(b, t.dims, at)).Re
			room := b.Const(ir.I64, float64(k.room))
			copies := b.Once(k, at, func() []*ir.Node {
				return []*ir.Node{b.Turns(t.along.Name, b.I32(0), b.Cast(ir.I32, b.Max(b.Min(all, room), b.Const(ir.I64, 0))), at, func(*ir.Node) {}).Node}
			})[0].Fold
			write := func(in *ir.Fold, place, where *ir.Node, value ops.Elem) ops.Write {
				fits := b.Lt(place, b.Const(ir.I64, float64(o.Type.Dims[0].Size)))
				return ops.Write{In: in, At: []*ir.Node{b.Cast(ir.I32, place)}, Value: value, Where: b.And(where, fits)}
			}
			writes := []ops.Write{write(copies, b.Add(start, b.Cast(ir.I64, copies.Index)), b.True(), aside[part].At(b, append(slices.Clone(at), copies.Index)...))}
			if k.room < min(t.along.Size, o.Type.Dims[0].Size) {
				again := t.once(b, at, func() *ir.Node { return start }, func() *ir.Node { return b.Lt(room, all) })
				writes = append(writes, write(again.end[0].Fold, again.number, again.keep, ops.ElemOf(t.split(b, at, again.next)[part][0])))
			}
			return writes
		}}
		s.Steps, s.Exact = append(steps[:len(steps):len(steps)], "keep"), exact
		out = append(out, s)
	}
	return out
}

// find is the state that is kept at a place: by its number among those of the element before whose end it lies.
func (t *turn) find(b *ops.Body, before *ops.Stage, place *ir.Node) [][][]*ir.Node {
	lines := before.Type.Dims[0].Size
	wanted := b.Cast(ir.I64, place)
	step := b.I32(1 << max(0, bits.Len(uint(lines-1))-1))
	line := b.Fold(ir.FoldSpec{Lo: b.I32(0), Hi: b.I32(bits.Len(uint(lines - 1))), Init: []*ir.Node{b.I32(0), step}}, func(_ *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
		next := b.Min(b.Add(acc[0], acc[1]), b.I32(lines-1))
		return []*ir.Node{b.Select(b.Le(before.At(b, next).Re, wanted), next, acc[0]), b.Div(acc[1], b.I32(2))}, nil
	})[0]
	return t.nth(b, inLine(b, t.dims, line), before.At(b, line).Re, wanted)
}

// nth is the state of an element that has a number, counted from one on, among those that are kept; 0 where there are fewer.
func (t *turn) nth(b *ops.Body, at []*ir.Node, from, wanted *ir.Node) [][][]*ir.Node {
	var none []*ir.Node
	for _, x := range t.elements(b, t.from, at) {
		none = append(none, b.Const(x.Type, 0))
	}
	k := t.walk(b, at, true, from, none, func(k kept, acc []*ir.Node) (next []*ir.Node, while *ir.Node) {
		this := b.And(k.keep, b.Alu(ir.Eq, k.number, wanted))
		for i, x := range k.next {
			next = append(next, b.Select(this, x, acc[i]))
		}
		return next, b.Le(k.number, wanted)
	})
	return t.split(b, at, k.end[1:])
}
