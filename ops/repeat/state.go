package repeat

import (
	"maps"
	"slices"
	"strings"

	"weft/ops"
	"weft/ops/operand"
	"weft/ops/problem"
)

// flatten lists the parts of a value, which are of some kinds, by their dotted names there.
func flatten(arg, name string, v ops.Value, kinds ops.Kind) ([]operand.Operand, error) {
	r, record := v.(ops.Record)
	switch {
	case v.Kind()&kinds != 0:
		return []operand.Operand{operand.New(name, v)}, nil
	case !record:
		return nil, problem.Wrong(problem.NotAnArray, arg, "fill makes an array of a number", "a state is made of arrays, and here is %s", v)
	}
	var out []operand.Operand
	for _, n := range r.Names {
		inner := n
		if name != "" {
			inner = name + "." + n
		}
		parts, err := flatten(arg, inner, r.Fields[n], kinds)
		if err != nil {
			return nil, err
		}
		out = append(out, parts...)
	}
	return out, nil
}

// inOrderOf is a state that a step gave with its parts in the order of the state at first. They must be the same.
func inOrderOf(from, next ops.Value) (ops.Value, error) {
	f, record := from.(ops.Record)
	n, too := next.(ops.Record)
	switch {
	case !record && !too:
		return next, nil
	case record != too:
		return nil, problem.Wrong(problem.WrongKind, "step", "", "the state is %s, and the function gives %s", form(from), form(next))
	}
	out := ops.Record{Names: f.Names, Fields: map[string]ops.Value{}}
	for _, name := range f.Names {
		v, ok := n.Fields[name]
		if !ok {
			return nil, problem.Wrong(problem.UnknownField, "step", "", "the state has `%s`, and the function gives %s", name, form(next))
		}
		inner, err := inOrderOf(f.Fields[name], v)
		if err != nil {
			return nil, err
		}
		out.Fields[name] = inner
	}
	for _, name := range n.Names {
		if _, ok := f.Fields[name]; !ok {
			return nil, problem.Wrong(problem.UnknownField, "step", "", "the function gives `%s`, and the state is %s", name, form(from))
		}
	}
	return out, nil
}

// inFloats is a state with whole numbers made the floats that a turn gives; nil where it has none.
func inFloats(e ops.Expander, from ops.Value, parts, after []operand.Operand) (start ops.Value) {
	at, changed := -1, false
	start = rebuilt(from, func(v ops.Value) ops.Value {
		at++
		is, gives := parts[at].Type.Elem, after[at].Type.Elem
		if is.Base.Float() || !gives.Base.Float() {
			return v
		}
		changed = true
		return e.Call(ops.Symbol("cast"), v, ops.Symbol(ops.Promote(is, gives).String()))
	})
	if !changed {
		return nil
	}
	return start
}

// form says what a state is made of.
func form(v ops.Value) string {
	if r, ok := v.(ops.Record); ok {
		return "a record of " + strings.Join(r.Names, ", ")
	}
	return v.Kind().String()
}

// rebuilt is a value of the form of another, each of its parts replaced, in order.
func rebuilt(v ops.Value, replace func(ops.Value) ops.Value) ops.Value {
	r, ok := v.(ops.Record)
	if !ok {
		return replace(v)
	}
	out := ops.Record{Names: r.Names, Fields: maps.Clone(r.Fields)}
	for _, n := range r.Names {
		out.Fields[n] = rebuilt(r.Fields[n], replace)
	}
	return out
}

func outputs(op *ops.Instance) (out ops.List) {
	for i := range op.Out {
		out = append(out, ops.Array{Of: op, Out: i})
	}
	return out
}

func list(parts []operand.Operand) (out ops.List) {
	for _, p := range parts {
		out = append(out, p.Value)
	}
	return out
}

func sameType(a, b ops.Type) bool {
	return a.Elem == b.Elem && a.Unit.Same(b.Unit) && ops.SameDims(a.Dims, b.Dims)
}

// joined gives all parts of a state the dims of all of them, and those of values that an argument gives.
func joined(arg string, types []ops.Type, others []operand.Operand) ([]ops.Type, error) {
	var all []operand.Operand
	for _, t := range types {
		all = append(all, operand.Operand{Name: "the state", Type: t})
	}
	for _, p := range others {
		all = append(all, operand.Operand{Name: arg, Type: p.Type})
	}
	dims, err := operand.Broadcast("the state", all)
	out := slices.Clone(types)
	for i := range out {
		out[i].Dims = dims
	}
	return out, err
}

// agree makes sure that a turn leaves a state of the types that it is of. Its dims are those of both.
func agree(types []ops.Type, after []operand.Operand) error {
	for i, p := range after {
		t, is := types[i], p.Type
		n, constant := p.Value.(ops.Number)
		of := ""
		if p.Name != "" {
			of = "`" + p.Name + "` of "
		}
		if extra := slices.IndexFunc(is.Dims, func(d ops.Dim) bool { return t.Dim(d.Name) < 0 }); extra >= 0 {
			return problem.Wrong(problem.ExtraDim, "step", "start from a state that has it", "%sthe state is %s, and the function gives %s", of, t, is)
		}
		switch {
		case !t.Unit.Same(is.Unit) && !(constant && n.AnyUnit()):
			return problem.Wrong(problem.UnitMismatch, "step", "", "%sthe state is %s, and the function gives %s", of, t, is)
		case constant && t.Elem != ops.Bool && ops.Promote(t.Elem, is.Elem) == t.Elem.Widen():
		case t.Elem != is.Elem && t.Elem != is.Elem.Widen():
			return problem.Wrong(problem.WrongElementType, "step", "start from a state of the type that the function gives, by `cast`",
				"%sthe state is %s, and the function gives %s", of, t, is)
		}
	}
	return nil
}

// condition is a truth value for each element of a state.
func condition(arg string, v ops.Value, dims []ops.Dim) (ops.Value, error) {
	if v.Kind() != ops.KArray {
		return nil, problem.Wrong(problem.NotAnArray, arg, "", "`%s` follows from no state: it is %s", arg, v)
	}
	t := operand.New(arg, v).Type
	if t.Elem != ops.Bool {
		return nil, problem.Wrong(problem.NotABoolean, arg, "", "`%s` has to be true or false for each element of the state, and is %s", arg, t)
	}
	for _, d := range t.Dims {
		if (ops.Type{Dims: dims}).Dim(d.Name) < 0 {
			return nil, problem.Wrong(problem.ExtraDim, arg, "", "`%s` has to be true or false for each element of the state, which has no dimension %s", arg, d.Name)
		}
	}
	return v, nil
}
