package repeat

import (
	"slices"

	"weft/kernels/ir"
	"weft/ops"
	"weft/ops/operand"
)

// recurrences are what fold and scan are made of, and iterate where each element ends by itself.
var recurrences = map[string]*ops.Spec{"fold": recurrenceSpec("fold"), "scan": recurrenceSpec("scan"), "iterate": recurrenceSpec("iterate")}

func recurrenceSpec(name string) *ops.Spec {
	lists := func(name, doc string) ops.Param { return ops.Param{Name: name, Doc: doc, Accept: ops.KList} }
	return &ops.Spec{
		Name: name, Doc: "A state carried element by element.", Group: "repetition", Returns: "a state, or one for each turn.", Error: carriedError,
		Params: []ops.Param{
			lists("state", "what stands for the state before a turn"), lists("from", "what it is at first"), lists("next", "what it is after a turn"),
			lists("over", "arrays that are gone through").Opt(), lists("each", "what stands for them at a turn").Opt(),
			ops.In("while", "whether an element goes on").Opt(), ops.In("until", "whether a turn was the last of an element").Opt(),
			{Name: "along", Doc: "the part of the dim that an element goes through", Accept: ops.KSegment, Optional: true},
			ops.In("keep", "whether what a turn leaves is kept").Opt(), lists("counted", "how many of them an element keeps, and what is known with that").Opt(),
		},
	}
}

// recurrence carries a state along a dim, or as many turns, for each element by itself.
type recurrence struct {
	ops.Gives
	along  ops.Dim
	part   *operand.Segment // of it that each element goes through; nil: all
	keep   bool             // a state for each turn
	until  bool             // besides the state it gives the turns that were made, and whether there was an end to them
	beside ops.Type         // an array along the dim, by which results that keep it are laid out
}

// kept is the type of a part of the state, or with keep of all that it was.
func (r *recurrence) kept(t ops.Type) ops.Type {
	if r.keep {
		t.Dims = slices.Insert(slices.Clone(t.Dims), r.at(t.Dims), r.along)
	}
	return t
}

// at is where the dim goes among those of the state: before those that come after it in what is gone through.
func (r *recurrence) at(dims []ops.Dim) int {
	for _, d := range r.beside.Dims[r.beside.Dim(r.along.Name)+1:] {
		if i := (ops.Type{Dims: dims}).Dim(d.Name); i >= 0 {
			return i
		}
	}
	return len(dims)
}

// use makes a use of it, whose parts are in the form of the state.
func (r *recurrence) use(e ops.Expander, name string, args map[string]ops.Value, form ops.Value) (ops.Value, error) {
	spec := recurrences[name]
	if err := r.tried(name, args); err != nil {
		return nil, err
	}
	op, at := e.Use(spec, r, args), 0
	return rebuilt(form, func(ops.Value) ops.Value { at++; return ops.Array{Of: op, Out: at - 1} }), nil
}

// tried is what is wrong with a use.
func (r *recurrence) tried(name string, args map[string]ops.Value) error {
	spec := recurrences[name]
	oneOfEach := func(l *ops.Lowering) []*ops.Stage {
		alike := func(a, b *ops.Stage) bool { return ops.SameDims(a.Type.Dims, b.Type.Dims) }
		return slices.CompactFunc(r.Lower(l), alike)
	}
	return trial{lower: oneOfEach, until: r.until}.run(&ops.Instance{Spec: spec, Call: &ops.Call{Spec: spec, Args: args}})
}

// turn is a turn as stages.
type turn struct {
	*recurrence
	name                     string
	dims                     []ops.Dim // of all parts of the state
	state, each, over        []*ops.Stage
	carried                  []*ops.Stage // the state as a whole
	from, next, while, until []operand.Operand
	keeps                    []operand.Operand
	partEnds                 []*ops.Stage        // of the part that each element goes through
	roots                    []*ops.Stage        // what the operands are
	inside                   map[*ops.Stage]bool // what follows from the state or from what stands at a turn
	building                 []*ops.Stage        // of these, innermost last
}

// turn finds the stages of a turn, and those outside of it that it reads.
func (r *recurrence) turn(l *ops.Lowering) (t *turn, inputs []*ops.Stage) {
	t = &turn{recurrence: r, name: l.Op.Spec.Name, state: l.Lists["state"], carried: l.Lists["state"], each: l.Lists["each"], over: l.Lists["over"], inside: map[*ops.Stage]bool{}}
	for _, s := range t.state {
		for _, d := range s.Type.Dims {
			if (ops.Type{Dims: t.dims}).Dim(d.Name) < 0 {
				t.dims = append(t.dims, d)
			}
		}
	}
	t.from, t.next, t.while = t.operands(l, "from"), t.operands(l, "next"), t.operands(l, "while")
	t.until, t.keeps, t.partEnds = t.operands(l, "until"), t.operands(l, "keep"), l.Lists["along"]
	if r.part != nil {
		for i := range r.part.Ends {
			r.part.Ends[i].Operand = t.picked(r.part.Ends[i].Operand)
		}
	}
	for _, s := range slices.Concat(t.state, t.each) {
		t.inside[s] = true
	}
	all := slices.Concat(t.over, t.roots, t.partEnds)
	t.visit(func(s *ops.Stage) {
		t.inside[s] = t.inside[s] || slices.ContainsFunc(s.Inputs, func(in *ops.Stage) bool { return t.inside[in] })
		if t.inside[s] {
			all = append(all, s.Inputs...)
		}
	})
	for _, s := range all {
		if !t.inside[s] && !slices.Contains(inputs, s) {
			inputs = append(inputs, s)
		}
	}
	return t, inputs
}

// operands are the parts of an argument at an element of the state, whose dims theirs are among.
func (t *turn) operands(l *ops.Lowering, arg string) (out []operand.Operand) {
	stages := l.Lists[arg]
	t.roots = append(t.roots, stages...)
	for _, v := range l.Op.Call.List(arg) {
		o := t.picked(operand.New(arg, v))
		if !o.Scalar {
			o, stages = o.With(stages[0]), stages[1:]
		}
		out = append(out, o)
	}
	return out
}

// picked is an operand that is read at an element of the state.
func (t *turn) picked(o operand.Operand) operand.Operand {
	o.Pick = nil
	for _, d := range o.Type.Dims {
		o.Pick = append(o.Pick, ops.Type{Dims: t.dims}.Dim(d.Name))
	}
	return o
}

// turns are those that an element goes through.
func (t *turn) turns(b *ops.Body, at []*ir.Node) (lo, hi *ir.Node) {
	if t.part == nil {
		return b.I32(0), b.I32(t.along.Size)
	}
	return t.part.Loop(b, t.partEnds, at, t.along.Size)
}

// visit calls visit for all that a turn is made from, producers first.
func (t *turn) visit(visit func(*ops.Stage)) {
	each := ops.EachStage(visit)
	for _, s := range t.roots {
		each(s)
	}
}

// mostBinders is how many axes and folds the turns of a state may have within them.
const mostBinders = ir.KernelBinders / 2

// tooLarge is what a turn is given up with that has more, elsewhere one a turn is that reads the state of other elements.
type (
	tooLarge  struct{}
	elsewhere struct{ by *ops.Stage }
)

// body is what the stages of a turn are built with: the state is values of a loop, and what stands at a turn is read there. Stages that
// follow from neither are arrays like any others.
func (t *turn) body(b *ops.Body, at []*ir.Node, i *ir.Node, state [][][]*ir.Node) *ops.Body {
	var in *ops.Body
	most := b.Binders() + mostBinders
	in = b.Inside(func(s *ops.Stage, guard *ir.Node, other float64, index []*ir.Node) ops.Elem {
		if !t.inside[s] {
			return b.Read(s, guard, other, index)
		}
		if k := slices.Index(t.each, s); k >= 0 {
			whole := t.over[k]
			return b.Read(whole, guard, other, slices.Insert(slices.Clone(index), whole.Type.Dim(t.along.Name), i))
		}
		if guard != nil {
			safe := make([]*ir.Node, len(index))
			for k, x := range index {
				safe[k] = b.Select(guard, x, b.Int(x.Type, 0))
			}
			e := in.Read(s, nil, 0, safe)
			return ops.CSelect(b, guard, e, ops.Real(b.Const(e.Re.Type, other)))
		}
		if k := slices.Index(t.state, s); k >= 0 {
			of := 0
			for d, x := range index {
				dim := s.Type.Dims[d]
				here := at[t.dim(dim)]
				if here == nil && x.Kind == ir.KConst {
					of = of*dim.Size + int(x.I)
				} else if x != here && dim.Size > 1 {
					panic(elsewhere{t.building[len(t.building)-1]})
				}
			}
			return ops.ElemOf(state[k][of])
		}
		if slices.Contains(t.carried, s) {
			panic(elsewhere{t.building[len(t.building)-1]})
		}
		return ops.ElemOf(in.Once(s, index, func() []*ir.Node {
			if t.building = append(t.building, s); b.Binders() > most {
				panic(tooLarge{})
			}
			e := s.Elem(in, index)
			t.building = t.building[:len(t.building)-1]
			return e.Parts()
		}))
	})
	return in
}

// dim is which of the dims one is.
func (t *turn) dim(d ops.Dim) int { return ops.Type{Dims: t.dims}.Dim(d.Name) }

// places are the elements of a part of the state that belong to a point: all along those of its dims of which the point has no index,
// or one where it is not said which these are.
func (t *turn) places(k int, at []*ir.Node, b *ops.Body) [][]*ir.Node {
	out := [][]*ir.Node{at}
	for _, d := range t.state[k].Type.Dims {
		if at == nil || at[t.dim(d)] != nil {
			continue
		}
		var next [][]*ir.Node
		for _, place := range out {
			for i := range d.Size {
				next = append(next, slices.Clone(place))
				next[len(next)-1][t.dim(d)] = b.I32(i)
			}
		}
		out = next
	}
	return out
}

// split are values of the state by its parts and their places, with those behind it.
func (t *turn) split(b *ops.Body, at []*ir.Node, values []*ir.Node) (out [][][]*ir.Node) {
	for k, s := range t.state {
		out = append(out, nil)
		for range t.places(k, at, b) {
			n := s.Type.Elem.Scalars()
			out[k], values = append(out[k], values[:n]), values[n:]
		}
	}
	for i := range values {
		out = append(out, [][]*ir.Node{values[i : i+1]})
	}
	return out
}

// elements are the values of parts at a point of the state.
func (t *turn) elements(b *ops.Body, of []operand.Operand, at []*ir.Node) (out []*ir.Node) {
	for k, o := range of {
		elem := t.state[k].Type.Elem
		for _, place := range t.places(k, at, b) {
			e := o.Read(b, elem.Base.Compute(), place)
			if elem.Complex {
				e.Im = e.Imag(b)
			}
			out = append(out, e.Parts()...)
		}
	}
	return out
}

// end is the state of a point in the end, with until the turns that it took and whether it is done behind it.
func (t *turn) end(b *ops.Body, at []*ir.Node) []*ir.Node {
	spec := ir.FoldSpec{Name: t.along.Name, Init: t.elements(b, t.from, at)}
	spec.Lo, spec.Hi = t.turns(b, at)
	if t.recurrence.until {
		spec.Init = append(spec.Init, b.I32(0), b.False())
	}
	return b.Fold(spec, func(i *ir.Node, state []*ir.Node) (next []*ir.Node, while *ir.Node) {
		in := t.body(b, at, i, t.split(b, at, state))
		next = t.elements(in, t.next, at)
		for _, o := range t.while {
			while = o.Read(in, ir.Bool, at).Re
		}
		for _, o := range t.until {
			steps, done := state[len(next)], state[len(next)+1]
			next, while = append(next, b.Add(steps, b.I32(1)), o.Read(in, ir.Bool, at).Re), b.Not(done)
		}
		return next, while
	})
}

// mostTogether is how many elements of parts with dims that others lack are carried together with these.
const mostTogether = 64

// shared are the dims that all parts have, and whether what is carried for a point of these are few elements.
func (t *turn) shared() (dims []ops.Dim, few bool) {
	n := 0
	dims = slices.DeleteFunc(slices.Clone(t.dims), func(d ops.Dim) bool {
		return slices.ContainsFunc(t.state, func(s *ops.Stage) bool { return s.Type.Dim(d.Name) < 0 })
	})
	for _, s := range t.state {
		n += s.Type.Len() / max(1, ops.Type{Dims: dims}.Len())
	}
	return dims, n <= max(mostTogether, len(t.state))
}

// among is the turn of those parts of the state that have no dims but some, from which no others follow: where they are in it.
func (t *turn) among(dims []ops.Dim) (out *turn, at map[int]int) {
	out, at = &turn{}, map[int]int{}
	*out = *t
	out.state, out.from, out.next = nil, nil, nil
	for k, s := range t.state {
		if !slices.ContainsFunc(s.Type.Dims, func(d ops.Dim) bool { return (ops.Type{Dims: dims}).Dim(d.Name) < 0 }) {
			at[k] = len(out.state)
			out.state, out.from, out.next = append(out.state, s), append(out.from, t.from[k]), append(out.next, t.next[k])
		}
	}
	return out, at
}

// ends is the element of a part of the state in the end, of those that belong to a point.
func (t *turn) ends(b *ops.Body, point []*ir.Node, k, of int) ops.Elem {
	there := slices.DeleteFunc(slices.Clone(point), func(n *ir.Node) bool { return n == nil })
	return ops.ElemOf(t.split(b, point, b.Once(t, there, func() []*ir.Node { return t.end(b, point) }))[k][of])
}

// last gives the elements of a part of the state in the end. Those at known places of dims that not all parts have are carried together, with
// the other parts; the others each with what they follow from.
func (t *turn) last(k int) func(b *ops.Body, index []*ir.Node) ops.Elem {
	if k >= len(t.state) { // what is told of the turns, which all parts have the dims of
		return func(b *ops.Body, index []*ir.Node) ops.Elem { return t.ends(b, index, k, 0) }
	}
	dims := t.state[k].Type.Dims
	shared, few := t.shared()
	alone, part := t.among(dims)
	return func(b *ops.Body, index []*ir.Node) ops.Elem {
		point, beside := make([]*ir.Node, len(t.dims)), make([]*ir.Node, len(t.dims))
		known, of := few, 0
		for i, d := range dims {
			if point[t.dim(d)] = index[i]; (ops.Type{Dims: shared}).Dim(d.Name) >= 0 {
				beside[t.dim(d)] = index[i]
				continue
			}
			known, of = known && index[i].Kind == ir.KConst, of*d.Size+int(index[i].I)
		}
		if known {
			return t.ends(b, beside, k, of)
		}
		return alone.ends(b, point, part[k], 0)
	}
}

// Lower carries the state in an ordered fold, which with keep stores it in every turn.
func (r *recurrence) Lower(l *ops.Lowering) (out []*ops.Stage) {
	t, inputs := r.turn(l)
	at := r.at(t.dims)
	element := func(index []*ir.Node) []*ir.Node { return slices.Delete(slices.Clone(index), at, at+1) }
	scan := &ops.Scan{Along: at, Dims: slices.Insert(slices.Clone(t.dims), at, r.along),
		Start: func(b *ops.Body, index []*ir.Node) []*ir.Node { return t.elements(b, t.from, element(index)) },
		Step: func(b *ops.Body, index, state []*ir.Node) []*ir.Node {
			return t.elements(t.body(b, element(index), index[at], t.split(b, nil, state)), t.next, element(index))
		}}
	steps, exact := t.steps()
	for k, o := range r.Gives {
		var s *ops.Stage
		if r.keep {
			s = l.Scan(o.Name, o.Type.Elem, o.Type.Unit, inputs, scan, func(b *ops.Body, _, after []*ir.Node) ops.Elem {
				return ops.ElemOf(t.split(b, nil, after)[k][0])
			})
		} else {
			s = l.Stage(o.Name, o.Type, inputs, t.last(k))
		}
		s.Steps, s.Exact = steps, exact
		out = append(out, s)
	}
	return out
}

// steps are what a turn does, and whether each operation of it must be rounded by itself.
func (t *turn) steps() (steps []string, exact bool) {
	if steps = []string{t.name}; t.recurrence.until {
		steps = []string{"each element to its own end"}
	}
	t.visit(func(s *ops.Stage) {
		if t.inside[s] {
			steps, exact = append(steps, s.Steps...), exact || s.Exact
		}
	})
	return steps, exact
}
