package repeat

import (
	"math"
	"slices"

	"weft/ops"
	"weft/ops/operand"
	"weft/ops/problem"
)

// foldSpecs are the operators that carry a state along a dim, each element of it by itself.
func foldSpecs() []*ops.Spec {
	params := []ops.Param{
		{Name: "over", Doc: "what is gone through: an array, or a record of arrays; left out where `along` is an array itself", Unit: "*",
			Accept: ops.KArray | ops.KRecord | function},
		{Name: "step", Doc: "function of the state and of what stands at a turn, giving the next state", Accept: function, Optional: true},
		{Name: "along", Doc: "dimension to go along, or an array along it alone; k in first .. last goes, for each element of the ends, through that part of k alone",
			Accept: ops.KSymbol | ops.KArray | ops.KSegment, Unit: "*"},
		{Name: "from", Doc: "the state before the first turn: an array, a number, true or false, or a record of such",
			Accept: ops.KArray | ops.KRecord | ops.KNumber | ops.KBool, Unit: "*"},
	}
	const how = "The state is an array, a number, true or false, or a record of these; the function gives one of the same types and units. Each part of it has the " +
		"dimensions of all that this is made from but that of `along`, or with `while` and in `scan` of all that the state is, and each of its elements is carried by itself: the function may read what is gone through wherever it " +
		"likes, the state only where it stands. All turns of an element are made in one kernel, which keeps its state in registers. "
	return []*ops.Spec{
		{
			Name: "fold", Doc: "A state carried along a dimension, to its end.", Group: "repetition", Error: carriedError,
			Long:    how + "`while` is a function of the state, asked before each turn: an element is done where it does not hold.",
			Returns: "the last state.",
			Params:  append(slices.Clone(params), ops.Param{Name: "while", Doc: "function of the state: whether an element goes on", Accept: function, Optional: true}),
			Examples: []ops.Example{
				{Title: "A polynomial by Horner's rule", Code: "c = axis(k, 1 .. 4 in 4)\nx = axis(x, 0 .. 2 in 3)\nshow(c | fold((s, k) -> s * x + k, along: k, from: 0))"},
				{Title: "How many turns a point stays near", Code: "c = axis(x, -2 .. 1 in 7)\nturn = axis(turn, 1 .. 50)\n" +
					"seen = fold((s, k) -> (z: s.z ^ 2 + c, turns: s.turns + 1), along: turn, from: (z: 0, turns: 0), while: s -> abs(s.z) < 2)\nshow(seen.turns)"}},
			Expand: expandFold, Counts: true,
		}, {
			Name: "scan", Doc: "A state carried along a dimension, and kept at every turn.", Group: "repetition", Error: carriedError,
			Long: how + "What a turn makes is stored where the turn stands. With `keep`, a function of the state after a turn, only what it holds for is stored, one after " +
				"the other: in the order of turns, all of one element of the state before those of the next. How many there are is known when it runs (see `leading`); " +
				"there is room for as many as `along` has elements, times those that go through all of it, or for at_most. What comes after these is left out, and `count` tells of it.",
			Returns: "the state after each turn, with the dimension of `along`. With `keep` a record of `value`, the states that are kept, along that dimension alone and without " +
				"coordinates, and in i64 `count`, how many each element of the state has, and `first`, where they begin.",
			Params: append(slices.Clone(params), ops.Param{Name: "keep", Doc: "function of the state: whether it is kept", Accept: function, Optional: true},
				ops.Count("at_most", "how many states there is room for").Within(1, math.MaxInt32).Opt(),
				ops.Num("likely", "", "the share of these that is probably kept, by which plans are costed until a run has counted; 0: it is not known").Within(0, 1).Opt()),
			Examples: []ops.Example{
				{Title: "A wall that warms up slowly", Code: "t = axis(time, 0 h .. 5 h in 6)\nair = where(t < 2 h, 10 K, 20 K)\n" +
					"show(air | scan((s, a) -> 0.7 * s + 0.3 * a, along: time, from: air[time: 0]))"},
				{Title: "Each time that a sum passes a whole number, in rows of unlike lengths", Code: "share = array([0.7, 0.6, 0.2, 0.6, 0.9, 0.5], dims: entry)\n" +
					"first = array([0, 3, 4], dims: row)\nlast = array([2, 3, 5], dims: row)\n" +
					"passed = share | scan((s, x) -> (sum: s.sum + x, new: floor(s.sum + x) > floor(s.sum)), along: entry in first .. last, from: (sum: 0, new: false), keep: s -> s.new)\n" +
					"show(passed.value.sum)\nshow(passed.count)"}},
			Expand: expandFold, Counts: true,
		},
	}
}

var carriedError = ops.ErrorRule{Metric: ops.Peak, Tolerance: 1e-5}

// folding is a use of fold or scan while it is checked.
type folding struct {
	c     *ops.Call
	e     ops.Expander
	ends  []operand.Operand // of the part of the dim that is gone through
	along string
	over  ops.Value
	step  ops.Value
	each  ops.Value         // what stands at a turn, in the form of over
	first []operand.Operand // what the state starts from
	apart bool              // parts of the state have the dims of what they are made from, not of all
	args  map[string]ops.Value
}

func expandFold(c *ops.Call, e ops.Expander) (ops.Value, error) {
	f := &folding{c: c, e: e, over: c.Args["over"], step: c.Args["step"], args: map[string]ops.Value{}}
	_, part := c.Args["along"].(ops.Segment)
	f.apart = c.Spec.Name == "fold" && !c.Has("while") && !part
	r := &recurrence{keep: c.Spec.Name == "scan"}
	if err := f.turns(r); err != nil {
		return nil, err
	}
	types, err := f.start()
	if err == nil {
		types, err = f.settle(types)
	}
	if err != nil {
		return nil, err
	}
	state, carried := f.state(types)
	after, err := f.turn(state)
	if after == nil {
		return nil, err
	}
	f.args["state"], f.args["from"], f.args["next"] = outputs(carried), list(f.first), list(after)
	if c.Has("while") {
		while := e.Call(c.Args["while"], state)
		if while == nil {
			return nil, nil
		}
		if f.args["while"], err = condition("while", while, types[0].Dims); err != nil {
			return nil, err
		}
	}
	err = agree(types, after)
	if err != nil {
		return nil, err
	}
	if c.Has("keep") {
		return f.kept(r, types, after)
	}
	for i, t := range types {
		r.Gives = append(r.Gives, ops.Output{Name: f.first[i].Name, Type: r.kept(t)})
	}
	return r.use(e, c.Spec.Name, f.args, c.Args["from"])
}

// goes finds what is gone through, and along which dim.
func (f *folding) goes() (all []operand.Operand, err error) {
	name := f.c.Spec.Name
	if f.step == nil && f.over != nil && f.over.Kind()&function != 0 { // nothing is piped, or put before the function
		f.over, f.step = nil, f.over
	}
	axis, isArray := f.c.Array("along")
	f.along = f.c.Symbol("along")
	part, isPart := f.c.Args["along"].(ops.Segment)
	if isPart {
		f.along = part.Dim
	}
	switch {
	case f.step == nil:
		return nil, problem.Wrong(problem.MissingArgument, "", "give it a function of the state and of what stands at a turn: (s, x) -> ...", "`%s` needs `step`", name)
	case f.over == nil && !isArray:
		return nil, problem.Wrong(problem.MissingArgument, "", "pipe an array into it, or make `along` one: along: axis("+f.along+", 1 .. 10)",
			"`%s` has nothing to go through", name)
	case f.c.Has("at_most") && !f.c.Has("keep"):
		return nil, problem.Wrong(problem.ContradictArguments, "at_most", "", "`at_most` bounds what `keep` picks, and there is no `keep`")
	case f.c.Has("likely") && !f.c.Has("keep"):
		return nil, problem.Wrong(problem.ContradictArguments, "likely", "", "`likely` says how much `keep` picks, and there is no `keep`")
	case isPart && name == "scan" && !f.c.Has("keep"):
		return nil, problem.Wrong(problem.MissingArgument, "", "keep: s -> true keeps all, row by row", "parts of %s may overlap, or leave out some of it: say by `keep` what is kept", f.along)
	case f.over == nil:
		f.over = axis
	case f.over.Kind()&function != 0:
		return nil, problem.Wrong(problem.WrongKind, "over", "", "`%s` goes through an array or a record of arrays, not %s", name, f.over.Kind())
	}
	if all, err = flatten("over", "", f.over, ops.KArray); err != nil || !isArray {
		return all, err
	}
	f.along = f.e.Name("along") // a variable may be called like a dimension
	if slices.ContainsFunc(all, func(p operand.Operand) bool { return p.Type.Dim(f.along) >= 0 }) {
		return all, nil
	}
	if len(axis.Type().Dims) != 1 {
		return nil, problem.Wrong(problem.WrongDims, "along", "name the dimension", "`along` is a dimension, or an array along one, and this is %s", axis.Type())
	}
	f.along = axis.Type().Dims[0].Name
	return all, nil
}

// turns finds what stands at a turn.
func (f *folding) turns(r *recurrence) error {
	all, err := f.goes()
	if err != nil {
		return err
	}
	var over, along []operand.Operand
	var each ops.List
	var known []string
	_, part := f.c.Args["along"].(ops.Segment)
	for _, p := range all {
		t, of := p.Type, p.Value.(ops.Array)
		for _, d := range t.Dims {
			if d.Count != nil && (d.Name != f.along || !part) {
				return problem.Wrong(problem.WrongDims, p.Name, "go through parts of it: along: "+d.Name+" in first .. last",
					"`%s` needs to know beforehand how many elements there are along %s, and this is %s", f.c.Spec.Name, d.Name, t)
			}
		}
		known = append(known, t.DimNames()...)
		if i := t.Dim(f.along); i >= 0 {
			along = append(along, operand.Operand{Name: "over", Type: ops.Type{Dims: t.Dims[i : i+1]}})
			over = append(over, p)
			t.Dims = slices.Delete(slices.Clone(t.Dims), i, i+1)
			each = append(each, ops.Array{Of: f.e.Use(&ops.Spec{Name: "each", Error: carriedError}, ops.Carried{Gives: ops.One(t), Of: &of}, nil)})
		}
	}
	if over == nil {
		return problem.Wrong(problem.UnknownDim, "along", "", "nothing that is gone through has a dimension `%s`", f.along).Among(known)
	}
	dims, err := operand.Broadcast(f.c.Spec.Name, along)
	if err != nil {
		return err
	}
	r.along, r.beside = dims[0], over[0].Type
	if part, ok := f.c.Args["along"].(ops.Segment); ok {
		if r.part, err = operand.NewSegment(part, "along", r.beside, []int{r.beside.Dim(f.along)}); err != nil {
			return err
		}
		f.args["along"] = part
		f.ends = []operand.Operand{r.part.Ends[0].Operand, r.part.Ends[1].Operand}
	}
	at := 0
	f.each = rebuilt(f.over, func(v ops.Value) ops.Value {
		if v.(ops.Array).Type().Dim(f.along) < 0 {
			return v
		}
		at++
		return each[at-1]
	})
	f.args["over"], f.args["each"] = list(over), each
	return nil
}

// start are the types of the state as far as what it starts from says them.
func (f *folding) start() (types []ops.Type, err error) {
	if f.first, err = flatten("from", "", f.c.Args["from"], ops.KArray|ops.KNumber|ops.KBool); err != nil {
		return nil, err
	}
	for _, p := range f.first {
		t := p.Type
		if t.Dim(f.along) >= 0 {
			return nil, problem.Wrong(problem.ExtraDim, "from", "take what is there before the first turn, as in ["+f.along+": 0]",
				"`%s` goes along %s, which the state does not have, and this is %s", f.c.Spec.Name, f.along, t)
		}
		types = append(types, t)
	}
	if f.ends != nil {
		return joined("from", types, slices.Concat(f.first, f.ends))
	}
	return f.joined("from", types, f.first)
}

// joined gives parts of a state the dims of those that an argument gives: each those of its own, or all those of all.
func (f *folding) joined(arg string, types []ops.Type, others []operand.Operand) ([]ops.Type, error) {
	if !f.apart {
		return joined(arg, types, others)
	}
	out := slices.Clone(types)
	for i := range out {
		one, err := joined(arg, types[i:i+1], others[i:i+1])
		if err != nil {
			return out, err
		}
		out[i] = one[0]
	}
	return out, nil
}

// state stands for the state before a turn.
func (f *folding) state(types []ops.Type) (ops.Value, *ops.Instance) {
	var gives ops.Gives
	for i, t := range types {
		gives = append(gives, ops.Output{Name: f.first[i].Name, Type: t})
	}
	carried, at := f.e.Use(&ops.Spec{Name: "state", Error: carriedError}, ops.Carried{Gives: gives}, nil), 0
	return rebuilt(f.c.Args["from"], func(ops.Value) ops.Value { at++; return ops.Array{Of: carried, Out: at - 1} }), carried
}

// turn is what the function makes of a state; nil where that is wrong.
func (f *folding) turn(state ops.Value) ([]operand.Operand, error) {
	next := f.e.Call(f.step, state, f.each)
	if next == nil {
		return nil, nil
	}
	next, err := inOrderOf(f.c.Args["from"], next)
	if err != nil {
		return nil, err
	}
	after, err := flatten("step", "", next, ops.KArray|ops.KNumber|ops.KBool)
	for _, p := range after {
		if t := p.Type; t.Dim(f.along) >= 0 {
			return nil, problem.Wrong(problem.ExtraDim, "step", "use what the function is given of it", "`%s` goes along %s, and the function gives %s", f.c.Spec.Name, f.along, t)
		}
	}
	return after, err
}

// mostTries bounds how often a function is asked what it makes of a state: a turn may add dims to it, and makes another type of a number.
const mostTries = 8

// settle finds the types that a turn leaves as they are. Where there are none, they are those that were tried last.
func (f *folding) settle(types []ops.Type) ([]ops.Type, error) {
	written := types
	for range mostTries {
		var after []operand.Operand
		var err error
		if !f.e.Try(func() { state, _ := f.state(types); after, err = f.turn(state) }) {
			if types = f.measured(types); types == nil { // what is wrong is reported of what is written
				return written, nil
			}
			continue
		}
		if err != nil || after == nil { // what is wrong is found again, or said already
			return types, nil
		}
		next, err := f.grown(types, after)
		if err != nil || slices.EqualFunc(types, next, sameType) {
			return next, err
		}
		types = next
	}
	return types, nil
}

// measured gives a plain zero that the state starts from the unit of what is gone through; nil where that changes nothing.
func (f *folding) measured(types []ops.Type) []ops.Type {
	out, changed := slices.Clone(types), false
	unit := f.args["over"].(ops.List)[0].(ops.Array).Type().Unit
	for i, p := range f.first {
		if n, ok := p.Value.(ops.Number); ok && n.AnyUnit() && !unit.Same(out[i].Unit) {
			out[i].Unit, changed = unit, true
		}
	}
	if !changed {
		return nil
	}
	return out
}

// grown are the types of a state behind a turn: with dims that it adds. A number that the state starts from is of the type that comes of it.
func (f *folding) grown(types []ops.Type, after []operand.Operand) ([]ops.Type, error) {
	out, err := f.joined("step", types, after)
	for i, p := range after {
		n, ok := f.first[i].Value.(ops.Number)
		if _, constant := p.Value.(ops.Number); !ok || constant && sameType(types[i], p.Type) {
			continue
		}
		t := p.Type
		if out[i].Elem = ops.Promote(types[i].Elem, t.Elem); t.Elem == types[i].Elem {
			out[i].Elem = t.Elem
		}
		if n.AnyUnit() {
			out[i].Unit = t.Unit
		}
	}
	return out, err
}
