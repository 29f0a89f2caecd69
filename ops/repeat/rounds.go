package repeat

import (
	"fmt"
	"slices"
	"strings"

	"weft/kernels/ir"
	"weft/ops"
	"weft/ops/operand"
	"weft/ops/problem"
)

// rounds repeats a function for objects that are done each by itself, over kernels of any number: a turn is planned like a pipeline, and computed
// for the objects that are left.
type rounds struct {
	ops.Gives           // the parts of the state, with the dims of the objects first; the turns of each object; whether there was an end to them
	over      []ops.Dim // of the objects
	parts     int       // of the state
	most      int
}

// object is the dim of all objects in a line, over several dims by a name that no dim of a program has.
func (r *rounds) object() ops.Dim {
	d := ops.Dim{Size: ops.Type{Dims: r.over}.Len()}
	d.Name = strings.Join(ops.Type{Dims: r.over}.DimNames(), " and ")
	return d
}

// inLine are dims with the objects in a line before them.
func (r *rounds) inLine(dims []ops.Dim) []ops.Dim {
	rest := slices.DeleteFunc(slices.Clone(dims), func(d ops.Dim) bool { return ops.Type{Dims: r.over}.Dim(d.Name) >= 0 })
	return slices.Insert(rest, 0, r.object())
}

// place is where an object stands among the dims.
func (r *rounds) place(b *ops.Body, object *ir.Node) []*ir.Node {
	at := make([]*ir.Node, len(r.over))
	for i := len(at) - 1; i >= 0; i-- {
		at[i] = object
		if size := b.I32(r.over[i].Size); i > 0 {
			at[i], object = b.Mod(object, size), b.Div(object, size)
		}
	}
	return at
}

// spread is the index of an array with dims, in their order, at a place of the objects and at an index of the dims behind these.
func (r *rounds) spread(dims []ops.Dim, place []*ir.Node, behind func(d ops.Dim) *ir.Node) []*ir.Node {
	out := make([]*ir.Node, len(dims))
	for i, d := range dims {
		if k := (ops.Type{Dims: r.over}).Dim(d.Name); k >= 0 {
			out[i] = place[k]
			continue
		}
		out[i] = behind(d)
	}
	return out
}

// line is a turn of objects in a line, in the order in which they stand: stages that follow from the state are made anew for these.
type line struct {
	*rounds
	l     *ops.Lowering
	order *ops.Stage
	made  map[*ops.Stage]*ops.Stage
}

// moved is what stands for a stage in the line: itself, if nothing of the state is in it.
func (n *line) moved(s *ops.Stage) *ops.Stage {
	if !slices.ContainsFunc(s.Inputs, func(in *ops.Stage) bool { return n.made[in] != nil }) {
		return s
	}
	c := *s
	c.Type.Dims, c.Tall, c.Inputs = n.inLine(s.Type.Dims), nil, []*ops.Stage{n.order}
	for _, in := range s.Inputs {
		if n.made[in] != nil {
			in = n.made[in]
		}
		c.Inputs = append(c.Inputs, in)
	}
	c.Elem = func(b *ops.Body, at []*ir.Node) ops.Elem { return n.at(b, s, s.Type.Dims, at, s.Elem) }
	if s.Near != nil {
		c.Near = func(b *ops.Body, at []*ir.Node, found ops.Elem) ops.Elem {
			return n.at(b, s, s.Type.Dims, at, func(b *ops.Body, index []*ir.Node) ops.Elem { return s.Near(b, index, found) })
		}
	}
	if c.Put = nil; s.Put != nil && !slices.ContainsFunc(n.over, func(d ops.Dim) bool {
		return !slices.ContainsFunc(s.Put.Axes, func(a ops.Dim) bool { return a.Name == d.Name && a.Size == d.Size })
	}) {
		c.Put = &ops.Put{Axes: n.inLine(s.Put.Axes), Writes: func(b *ops.Body, at []*ir.Node) []ops.Write { return n.writes(b, s, at) }}
	}
	return n.l.Add(&c)
}

// at is what a definition of a stage gives at an index in the line.
func (n *line) at(b *ops.Body, s *ops.Stage, dims []ops.Dim, at []*ir.Node, define func(b *ops.Body, index []*ir.Node) ops.Elem) ops.Elem {
	place := n.place(b, n.order.At(b, at[0]).Re)
	next := 0
	index := n.spread(dims, place, func(ops.Dim) *ir.Node { next++; return at[next] })
	return define(n.body(b, s, at[0], place), index)
}

// writes are the stores of a stage that is made by stores, in the line.
func (n *line) writes(b *ops.Body, s *ops.Stage, at []*ir.Node) []ops.Write {
	place, next := n.place(b, n.order.At(b, at[0]).Re), 0
	out := s.Put.Writes(n.body(b, s, at[0], place), n.spread(s.Put.Axes, place, func(ops.Dim) *ir.Node { next++; return at[next] }))
	for i := range out {
		out[i].At = n.own(s, s.Type.Dims, out[i].At, at[0], place)
	}
	return out
}

// own is an index in the line of what a stage reads or writes at an index of dims: there must be no other object.
func (n *line) own(by *ops.Stage, dims []ops.Dim, index []*ir.Node, object *ir.Node, place []*ir.Node) []*ir.Node {
	out := []*ir.Node{object}
	for i, d := range dims {
		k := ops.Type{Dims: n.over}.Dim(d.Name)
		switch {
		case k < 0:
			out = append(out, index[i])
		case index[i] != place[k] && d.Size > 1:
			panic(elsewhere{by})
		}
	}
	return out
}

// body is what a stage is defined with at a place: what follows from the state is read in the line, all else where it is.
func (n *line) body(b *ops.Body, s *ops.Stage, object *ir.Node, place []*ir.Node) *ops.Body {
	return b.Inside(func(in *ops.Stage, guard *ir.Node, other float64, index []*ir.Node) ops.Elem {
		if c := n.made[in]; c != nil {
			in, index = c, n.own(s, in.Type.Dims, index, object, place)
		}
		return b.Read(in, guard, other, index)
	})
}

// Programs are a start and a turn.
func (r *rounds) Programs(l *ops.Lowering) ops.Drive {
	object := r.object()
	of := func(e ops.ElemType) ops.Type { return ops.Type{Elem: e, Dims: []ops.Dim{object}} }
	d := ops.Drive{Rounds: &ops.Rounds{Dim: object.Name, Done: r.parts + 1, Order: r.parts + 2}}
	n := &line{rounds: r, l: l, made: map[*ops.Stage]*ops.Stage{}}
	for _, s := range l.Lists["state"] {
		t := s.Type
		t.Dims = r.inLine(t.Dims)
		n.made[s] = l.State("state"+strings.TrimPrefix(r.Gives[len(d.State)].Name, "value"), t)
		d.State = append(d.State, n.made[s])
	}
	steps, done := l.State("turns", of(ops.I32)), l.State("done", of(ops.Bool))
	n.order = l.State("order", of(ops.I32))
	d.State = append(d.State, steps, done, n.order)
	short := func(s *ops.Stage) string { return strings.TrimPrefix(s.Name, l.Op.Spec.Name+".") }
	from := func(s *ops.Stage) string { return "from." + short(s) }
	for i, s := range l.Lists["from"] {
		t := d.State[i].Type
		d.Start = append(d.Start, l.Stage(from(d.State[i]), t, []*ops.Stage{s}, func(b *ops.Body, at []*ir.Node) ops.Elem {
			return s.At(b, r.spread(s.Type.Dims, r.place(b, at[0]), func(d ops.Dim) *ir.Node { return at[t.Dim(d.Name)] })...)
		}))
	}
	for _, s := range []*ops.Stage{steps, done} {
		d.Start = append(d.Start, l.Stage(from(s), s.Type, nil, func(b *ops.Body, _ []*ir.Node) ops.Elem { return ops.Real(b.Const(s.Type.Elem.Base, 0)) }))
	}
	d.Start = append(d.Start, l.Objects(object))
	each := ops.EachStage(func(s *ops.Stage) {
		if c := n.moved(s); c != s {
			n.made[s] = c
		}
	})
	roots := slices.Concat(l.Lists["next"], l.Lists["until"])
	for _, s := range roots {
		each(s)
	}
	// read is what a root gives at an index of a part of the state.
	read := func(b *ops.Body, root *ops.Stage, t ops.Type, at []*ir.Node) ops.Elem {
		behind := func(d ops.Dim) *ir.Node { return at[t.Dim(d.Name)] }
		if n.made[root] == nil {
			return root.At(b, r.spread(root.Type.Dims, r.place(b, n.order.At(b, at[0]).Re), behind)...)
		}
		dims := n.made[root].Type.Dims[1:]
		return n.made[root].At(b, append(at[:1:1], r.spread(dims, nil, behind)...)...)
	}
	// What is made of one shape reads the same, so that one kernel makes it.
	reads := map[int][]*ops.Stage{}
	for i, root := range roots {
		if n.made[root] != nil {
			root = n.made[root]
		}
		dims := 1
		if i < r.parts {
			dims = len(d.State[i].Type.Dims)
		}
		reads[dims] = append(reads[dims], root)
	}
	next := ops.Program{Name: "turn", Most: r.most}
	unless := func(is *ops.Stage, moved func(b *ops.Body, at []*ir.Node) ops.Elem) {
		inputs := slices.Concat(d.State, reads[len(is.Type.Dims)])
		next.Next = append(next.Next, l.Stage("next."+short(is), is.Type, inputs, func(b *ops.Body, at []*ir.Node) ops.Elem {
			return ops.CSelect(b, done.At(b, at[0]).Re, is.At(b, at...), moved(b, at))
		}))
	}
	for i, root := range roots[:r.parts] {
		if is := d.State[i]; n.made[root] == is {
			next.Next = append(next.Next, nil)
		} else {
			unless(is, func(b *ops.Body, at []*ir.Node) ops.Elem { return read(b, root, is.Type, at) })
		}
	}
	unless(steps, func(b *ops.Body, at []*ir.Node) ops.Elem { return ops.Real(b.Add(steps.At(b, at...).Re, b.I32(1))) })
	unless(done, func(b *ops.Body, at []*ir.Node) ops.Elem { return read(b, roots[r.parts], done.Type, at) })
	next.Next = append(next.Next, nil)
	d.Calls = []ops.Program{next}
	return d
}

// shares are as many rounds as are told of one by one.
const shares = 12

// Drive makes turns while objects are left.
func (r *rounds) Drive(h ops.Host) (ops.Note, error) {
	all := r.object().Size
	left, turn := all, 0
	var said []string
	for ; turn < r.most && left > 0; turn++ {
		if turn < shares {
			said = append(said, fmt.Sprintf("%.3g", 100*float64(left)/float64(all)))
		}
		var err error
		if left, err = h.Round(0); err != nil {
			return ops.Note{}, err
		}
		h.Progress(fmt.Sprintf("%d left", left))
	}
	if turn > shares {
		said = append(said, "...")
	}
	note := ops.Note{Text: fmt.Sprintf("%d rounds over %s %% of %d objects", turn, strings.Join(said, ", "), all)}
	if left > 0 {
		note.Warnings = []problem.Problem{problem.Wrong(problem.Unfinished, "until", "allow more turns with at_most, or end them earlier with until",
			"iterate made %d turns, as many as it may, and until did not hold for %d of %d", r.most, left, all)}
	}
	return note, nil
}

// inRounds repeats the function for each object of the state until that is done, the turns over the objects that are left.
func inRounds(c *ops.Call, e ops.Expander, from []operand.Operand, args map[string]ops.Value) (ops.Value, error) {
	until := args["until"].(ops.Array).Type()
	r := &rounds{over: until.Dims, parts: len(from), most: c.Int("at_most")}
	for _, p := range from {
		t := p.Type
		t.Dims = append(slices.Clone(r.over), r.inLine(t.Dims)[1:]...)
		r.Gives = append(r.Gives, ops.Output{Name: strings.TrimSuffix("value."+p.Name, "."), Type: t})
	}
	r.Gives = append(r.Gives, ops.Output{Name: "steps", Type: ops.Type{Elem: ops.I32, Dims: r.over}}, ops.Output{Name: "converged", Type: until})
	op := &ops.Instance{Spec: recurrences["iterate"], Call: &ops.Call{Spec: recurrences["iterate"], Args: args}}
	if err := (trial{lower: func(l *ops.Lowering) []*ops.Stage { r.Programs(l); return l.Made() }, until: true, apart: true}).run(op); err != nil {
		return nil, err
	}
	op, at := e.Use(op.Spec, r, args), 0
	value := rebuilt(c.Args["from"], func(ops.Value) ops.Value {
		out, t := ops.Array{Of: op, Out: at}, from[at].Type
		if at++; slices.Equal(out.Type().DimNames(), t.DimNames()) {
			return out
		}
		var order ops.List
		for _, name := range t.DimNames() {
			order = append(order, ops.Symbol(name))
		}
		return e.Apply("transpose", map[string]ops.Value{"input": out, "order": order})
	})
	return ops.Record{Names: []string{"value", "steps", "converged"}, Fields: map[string]ops.Value{
		"value": value, "steps": ops.Array{Of: op, Out: at}, "converged": ops.Array{Of: op, Out: at + 1}}}, nil
}
