// Package repeat holds the operators that carry a state through functions of the program.
package repeat

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"weft/ops"
	"weft/ops/operand"
	"weft/ops/problem"
)

// Specs lists the operators of this package.
func Specs() []*ops.Spec {
	return append(append(foldSpecs(), iterateSpec(), fastestSpec()), listSpecs()...)
}

const function = ops.KFunction | ops.KSymbol

func iterateSpec() *ops.Spec {
	return &ops.Spec{
		Name: "iterate", Doc: "A function of a state, repeated.", Group: "repetition",
		Long: "The state is an array, or a record of arrays; the function gives one of the same dimensions, types and units. Only two states are in " +
			"memory. `until` is a function of the old and the new state that gives a single truth value, and `watch` one that gives a number to keep; both " +
			"are looked at every so many turns. Iterations that end without it are warned of. Where `until` gives a truth value for each element of some dimensions " +
			"instead, what the state holds at each of these is an object, repeated by itself until it is done: the function may read no other object of the state. " +
			"Where objects are single elements, all turns are made in one kernel. Otherwise they go in rounds, kernels over the objects that are left: those that are done are " +
			"no longer computed once they are half, and no bit of an object depends on the others. With `--resume`, a run that writes a file and was cut off goes on where it was. The history has an element for each look, 65,536 at most.",
		Returns: "the last state; with until or watch a record of value, the last state, steps, converged and, with watch, history; steps and converged of each " +
			"object where objects are repeated by themselves.",
		Params: []ops.Param{
			{Name: "from", Doc: "the state at first: an array, a number or a record of such", Accept: ops.KArray | ops.KNumber | ops.KRecord, Unit: "*"},
			{Name: "step", Doc: "function from a state to the next", Accept: function},
			ops.Count("at_most", "turns at most").Within(1, 1e9),
			{Name: "until", Doc: "function of the old and the new state: whether that was the last turn, of all or of each object", Accept: function, Optional: true},
			{Name: "watch", Doc: "function of the old and the new state: a number of which the history is kept", Accept: function, Optional: true},
			ops.Count("every", "turns from one look at until and watch to the next").Within(1, 1e9).Or(ops.Integer(1)),
		},
		Examples: []ops.Example{
			{Title: "Heat spreads", Code: "x = axis(x, 0 .. 7 in 8)\nhot = where(x == 3, 100, 0)\nshow(hot | iterate(u -> u + 0.25 * (u[x: here - 1, outside: nearest] - 2 * u + u[x: here + 1, outside: nearest]), at_most: 10))"},
			{Title: "A root by Newton's method", Code: "a = axis(a, 1 .. 4 in 4)\nr = (a / 2 + 1) | iterate(x -> (x + a / x) / 2, at_most: 50, until: (old, new) -> max(abs(new - old)) < 1e-5)\nshow(r.value)\nshow(r.steps)"},
			{Title: "The same, each number by itself", Code: "a = axis(a, 1 .. 4 in 4)\nr = (a / 2 + 1) | iterate(x -> (x + a / x) / 2, at_most: 50, until: (old, new) -> abs(new - old) < 1e-5)\nshow(r.value)\nshow(r.steps)"},
			{Title: "Powers of matrices, each until its rows are alike", Code: "p = axis(p, 0.2 .. 0.8 in 3)\ni = axis(i, 0 .. 1 in 2)\nj = axis(j, 0 .. 1 in 2)\n" +
				"m = where(i == j, p, 1 - p)\nfn square(m) = sum(rename(m, from: j, to: k) * rename(m, from: i, to: k), over: k)\n" +
				"r = m | iterate(square, at_most: 20, until: (old, new) -> max(abs(new - old), over: [i, j]) < 1e-4)\nshow(r.steps)"}},
		Expand: expandIterate,
	}
}

func expandIterate(c *ops.Call, e ops.Expander) (ops.Value, error) {
	c = &ops.Call{Spec: c.Spec, Args: maps.Clone(c.Args), Written: c.Written}
	c.Args["from"] = rebuilt(c.Args["from"], func(v ops.Value) ops.Value {
		if v.Kind() != ops.KNumber {
			return v
		}
		return e.Call(ops.Symbol("fill"), v)
	})
	from, err := flatten("from", "", c.Args["from"], ops.KArray)
	if err != nil {
		return nil, err
	}
	var gives ops.Gives
	for _, p := range from {
		gives = append(gives, ops.Output{Name: p.Name, Type: p.Type})
	}
	carried := e.Use(&ops.Spec{Name: "state", Error: c.Spec.Error}, ops.Carried{Gives: gives}, nil)
	at := 0
	state := rebuilt(c.Args["from"], func(ops.Value) ops.Value { at++; return ops.Array{Of: carried, Out: at - 1} })
	next := e.Call(c.Args["step"], state)
	if next == nil {
		return nil, nil
	}
	if next, err = inOrderOf(c.Args["from"], next); err != nil {
		return nil, err
	}
	after, err := flatten("step", "", next, ops.KArray)
	if err != nil {
		return nil, err
	}
	if start := inFloats(e, c.Args["from"], from, after); start != nil {
		c.Args["from"] = start
		return expandIterate(c, e)
	}
	args := map[string]ops.Value{"at_most": c.Args["at_most"], "every": c.Args["every"]}
	for _, name := range []string{"until", "watch"} {
		if !c.Has(name) {
			continue
		}
		v := e.Call(c.Args[name], state, next)
		if v == nil {
			return nil, nil
		}
		if args[name] = v; v.Kind() != ops.KArray {
			return nil, problem.Wrong(problem.NotAnArray, name, "", "`%s` follows from no state: it is %s", name, v)
		}
	}
	if until, ok := args["until"].(ops.Array); ok && len(until.Type().Dims) > 0 {
		args["state"], args["from"], args["next"] = outputs(carried), list(from), list(after)
		return eachByItself(c, e, from, after, args)
	}
	args["from"], args["next"] = list(from), list(after)
	args["state"] = outputs(carried)
	bound, err := ops.Iterate.Bind(&ops.Call{Spec: ops.Iterate, Args: args})
	if err != nil {
		return nil, asStep(err)
	}
	op := e.Use(ops.Iterate, bound, args)
	at = 0
	value := rebuilt(c.Args["from"], func(ops.Value) ops.Value { at++; return ops.Array{Of: op, Out: at - 1} })
	if !c.Has("until") && !c.Has("watch") {
		return value, nil
	}
	out := ops.Record{Names: []string{"value"}, Fields: map[string]ops.Value{"value": value}}
	for i, o := range op.Out[len(from):] {
		out.Names = append(out.Names, o.Name)
		out.Fields[o.Name] = ops.Array{Of: op, Out: len(from) + i}
	}
	return out, nil
}

// eachByItself repeats the function for each element of the state until that is done: all turns of it in one kernel where elements are all that
// a turn is made of, and in rounds where they are arrays themselves, or a turn has no place in a kernel.
func eachByItself(c *ops.Call, e ops.Expander, from, after []operand.Operand, args map[string]ops.Value) (ops.Value, error) {
	until := args["until"].(ops.Array).Type()
	var types []ops.Type
	single := true
	for _, p := range from {
		if types = append(types, p.Type); slices.ContainsFunc(until.Dims, func(d ops.Dim) bool { i := p.Type.Dim(d.Name); return i < 0 || p.Type.Dims[i].Size != d.Size }) {
			return nil, problem.Wrong(problem.WrongDims, "until", "make it one truth value for the whole state, by all or any",
				"`until` is one truth value, or one for each element of a state whose parts all have its dimensions: it is %s, and the state %s", until, p.Type)
		}
		single = single && ops.SameDims(p.Type.Dims, until.Dims)
	}
	_, err := condition("until", args["until"], until.Dims)
	if err == nil {
		err = agree(types, after)
	}
	switch {
	case err != nil:
		return nil, err
	case c.Has("watch") || c.Int("every") != 1:
		return nil, problem.Wrong(problem.ContradictArguments, "until", "make it one truth value for the whole state, by all or any",
			"`until` is asked of each element by itself, in every turn: nothing is left to `watch`, or to look at `every` so many turns")
	}
	r := &recurrence{along: ops.Dim{Name: "turn", Size: c.Int("at_most")}, until: true}
	form := ops.Record{Names: []string{"value", "steps", "converged"}, Fields: map[string]ops.Value{"value": c.Args["from"], "steps": nothing, "converged": nothing}}
	for _, p := range from {
		r.Gives = append(r.Gives, ops.Output{Name: strings.TrimSuffix("value."+p.Name, "."), Type: p.Type})
	}
	r.Gives = append(r.Gives, ops.Output{Name: "steps", Type: ops.Type{Elem: ops.I32, Dims: until.Dims}}, ops.Output{Name: "converged", Type: until})
	if !single || r.tried(c.Spec.Name, args) != nil {
		return inRounds(c, e, from, args)
	}
	return r.use(e, c.Spec.Name, args, form)
}

// nothing is a part of a record that is filled in.
const nothing = ops.Flag(false)

// asStep names the arguments of the inner operator as the user gave them.
func asStep(err error) error {
	var out []error
	for _, e := range problem.Each(err) {
		if p, ok := e.(problem.Problem); ok && p.Arg == "next" {
			p.Arg, p.Message = "step", strings.ReplaceAll(p.Message, "`next`", "`step`")
			e = p
		}
		out = append(out, e)
	}
	return errors.Join(out...)
}
