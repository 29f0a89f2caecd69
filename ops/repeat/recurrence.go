package repeat

import (
	"slices"

	"weft/kernels/ir"
	"weft/ops"
)

// recurrences are what fold and scan are made of.
var recurrences = map[string]*ops.Spec{"fold": recurrenceSpec("fold"), "scan": recurrenceSpec("scan")}

func recurrenceSpec(name string) *ops.Spec {
	lists := func(name, doc string) ops.Param { return ops.Param{Name: name, Doc: doc, Accept: ops.KList} }
	return &ops.Spec{
		Name: name, Doc: "A state carried element by element.", Group: "repetition", Returns: "a state, or one for each turn.", Error: carriedError,
		Params: []ops.Param{
			lists("state", "what stands for the state before a turn"), lists("from", "what it is at first"), lists("next", "what it is after a turn"),
			lists("over", "arrays that are gone through").Opt(), lists("each", "what stands for them at a turn").Opt(),
			ops.In("while", "whether an element goes on").Opt(),
		},
	}
}

// recurrence carries a state along a dim, or as many turns, for each element by itself.
type recurrence struct {
	ops.Gives
	along  ops.Dim
	keep   bool     // a state for each turn
	beside ops.Type // an array along the dim, by which results that keep it are laid out
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
	if err := r.apart(&ops.Instance{Spec: spec, Call: &ops.Call{Spec: spec, Args: args}}); err != nil {
		return nil, err
	}
	op, at := e.Use(spec, r, args), 0
	return rebuilt(form, func(ops.Value) ops.Value { at++; return ops.Array{Of: op, Out: at - 1} }), nil
}

// turn is a turn as stages.
type turn struct {
	*recurrence
	name              string
	dims              []ops.Dim // of the state
	state, each, over []*ops.Stage
	from, next, while []source
	inside            map[*ops.Stage]bool // what follows from the state or from what stands at a turn
	building          []*ops.Stage        // of these, innermost last
}

// source is what a part of a state is made from: a stage or a value, and which dims of the state are its own.
type source struct {
	stage *ops.Stage
	value float64
	own   []int
}

func (t *turn) sources(v ops.Value, stages []*ops.Stage) (out []source) {
	all, _ := v.(ops.List)
	if all == nil && v != nil {
		all = ops.List{v}
	}
	for _, v := range all {
		s := source{}
		switch v := v.(type) {
		case ops.Array:
			s.stage, stages = stages[0], stages[1:]
			for _, d := range v.Type().Dims {
				s.own = append(s.own, ops.Type{Dims: t.dims}.Dim(d.Name))
			}
		case ops.Number:
			s.value = v.V
		case ops.Flag:
			if v {
				s.value = 1
			}
		}
		out = append(out, s)
	}
	return out
}

// element is that of a source at an element of the state.
func (s source) element(b *ops.Body, elem ops.ElemType, at []*ir.Node) ops.Elem {
	base := elem.Base.Compute()
	out := ops.Real(b.Const(base, s.value))
	if s.stage != nil {
		index := make([]*ir.Node, len(s.own))
		for i, d := range s.own {
			index[i] = at[d]
		}
		out = ops.CCast(b, base, s.stage.At(b, index...))
	}
	if elem.Complex {
		out.Im = out.Imag(b)
	}
	return out
}

// turn finds the stages of a turn.
func (r *recurrence) turn(l *ops.Lowering) (*turn, []*ops.Stage) {
	t := &turn{recurrence: r, name: l.Op.Spec.Name, state: l.Lists["state"], each: l.Lists["each"], over: l.Lists["over"], inside: map[*ops.Stage]bool{}}
	t.dims = t.state[0].Type.Dims
	args := l.Op.Call.Args
	t.from, t.next, t.while = t.sources(args["from"], l.Lists["from"]), t.sources(args["next"], l.Lists["next"]), t.sources(args["while"], l.Lists["while"])
	for _, s := range slices.Concat(t.state, t.each) {
		t.inside[s] = true
	}
	inputs := slices.Clone(t.over)
	visit := ops.EachStage(func(s *ops.Stage) {
		t.inside[s] = t.inside[s] || slices.ContainsFunc(s.Inputs, func(in *ops.Stage) bool { return t.inside[in] })
		if t.inside[s] {
			inputs = append(inputs, s.Inputs...)
		}
	})
	for _, s := range slices.Concat(t.from, t.next, t.while) {
		if s.stage != nil {
			visit(s.stage)
			inputs = append(inputs, s.stage)
		}
	}
	var outside []*ops.Stage
	for _, s := range inputs {
		if !t.inside[s] && !slices.Contains(outside, s) {
			outside = append(outside, s)
		}
	}
	return t, outside
}

// mostBinders is how many axes and folds the turns of a state may have within them.
const mostBinders = ir.MaxBinders / 2

// tooLarge is what a turn is given up with that has more, elsewhere one a turn is that reads the state of other elements.
type (
	tooLarge  struct{}
	elsewhere struct{ by *ops.Stage }
)

// body is what the stages of a turn are built with: the state is values of a loop, and what stands at a turn is read there. Stages that
// follow from neither are arrays like any others.
func (t *turn) body(b *ops.Body, at []*ir.Node, i *ir.Node, state [][]*ir.Node) *ops.Body {
	var in *ops.Body
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
			for d, x := range index {
				if x != at[d] && t.dims[d].Size > 1 {
					panic(elsewhere{t.building[len(t.building)-1]})
				}
			}
			return ops.ElemOf(state[k])
		}
		return ops.ElemOf(in.Once(s, index, func() []*ir.Node {
			if t.building = append(t.building, s); b.Binders() > mostBinders {
				panic(tooLarge{})
			}
			e := s.Elem(in, index)
			t.building = t.building[:len(t.building)-1]
			return e.Parts()
		}))
	})
	return in
}

// split are values of the state by its parts.
func (t *turn) split(values []*ir.Node) (out [][]*ir.Node) {
	for _, s := range t.state {
		n := s.Type.Elem.Scalars()
		out, values = append(out, values[:n]), values[n:]
	}
	return out
}

// elements are the values of all sources at an element of the state.
func (t *turn) elements(b *ops.Body, sources []source, at []*ir.Node) (out []*ir.Node) {
	for k, s := range sources {
		out = append(out, s.element(b, t.state[k].Type.Elem, at).Parts()...)
	}
	return out
}

// end is the state of an element in the end.
func (t *turn) end(b *ops.Body, at []*ir.Node) []*ir.Node {
	spec := ir.FoldSpec{Name: t.along.Name, Lo: b.I32(0), Hi: b.I32(t.along.Size), Init: t.elements(b, t.from, at)}
	return b.Fold(spec, func(i *ir.Node, state []*ir.Node) (next []*ir.Node, while *ir.Node) {
		in := t.body(b, at, i, t.split(state))
		for _, s := range t.while {
			while = s.element(in, ops.Bool, at).Re
		}
		return t.elements(in, t.next, at), while
	})
}

// Lower carries the state in an ordered fold, which with keep stores it in every turn.
func (r *recurrence) Lower(l *ops.Lowering) (out []*ops.Stage) {
	t, inputs := r.turn(l)
	at := r.at(t.dims)
	element := func(index []*ir.Node) []*ir.Node { return slices.Delete(slices.Clone(index), at, at+1) }
	scan := &ops.Scan{Along: at, Dims: slices.Insert(slices.Clone(t.dims), at, r.along),
		Start: func(b *ops.Body, index []*ir.Node) []*ir.Node { return t.elements(b, t.from, element(index)) },
		Step: func(b *ops.Body, index, state []*ir.Node) []*ir.Node {
			return t.elements(t.body(b, element(index), index[at], t.split(state)), t.next, element(index))
		}}
	steps, exact := t.steps()
	for k, o := range r.Gives {
		var s *ops.Stage
		if r.keep {
			s = l.Scan(o.Name, o.Type.Elem, o.Type.Unit, inputs, scan, func(_ *ops.Body, _, after []*ir.Node) ops.Elem { return ops.ElemOf(t.split(after)[k]) })
		} else {
			s = l.Stage(o.Name, o.Type, inputs, func(b *ops.Body, index []*ir.Node) ops.Elem {
				return ops.ElemOf(t.split(b.Once(t, index, func() []*ir.Node { return t.end(b, index) }))[k])
			})
		}
		s.Steps, s.Exact = steps, exact
		out = append(out, s)
	}
	return out
}

// steps are what a turn does, and whether each operation of it must be rounded by itself.
func (t *turn) steps() (steps []string, exact bool) {
	steps = []string{t.name}
	visit := ops.EachStage(func(s *ops.Stage) {
		if t.inside[s] {
			steps, exact = append(steps, s.Steps...), exact || s.Exact
		}
	})
	for _, s := range slices.Concat(t.next, t.while) {
		if s.stage != nil {
			visit(s.stage)
		}
	}
	return steps, exact
}
