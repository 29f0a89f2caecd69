package beam

import (
	"errors"
	"testing"

	"weft/ops"
	"weft/ops/problem"
)

// arguments of a call by name.
type arguments map[string]ops.Value

// call fills in defaults, as the checker does.
func call(spec *ops.Spec, args arguments) *ops.Call {
	c := &ops.Call{Spec: spec, Args: map[string]ops.Value{}}
	for _, p := range spec.Params {
		switch v := args[p.Name]; {
		case v != nil:
			c.Args[p.Name] = v
		case p.Default != nil:
			c.Args[p.Name] = p.Default
		}
	}
	return c
}

// with is a with some arguments replaced.
func (a arguments) with(changes arguments) arguments {
	out := arguments{}
	for _, from := range []arguments{a, changes} {
		for k, v := range from {
			out[k] = v
		}
	}
	return out
}

// array is an input of the given type.
func array(t ops.Type) ops.Array {
	return ops.Array{Of: &ops.Instance{Spec: &ops.Spec{Name: "input"}, Out: []ops.Output{{Type: t}}}}
}

// iq is the type of a record.
func iq(dims ...ops.Dim) ops.Type { return ops.Type{Elem: ops.C64, Dims: dims} }

func dim(name string, n int) ops.Dim { return ops.Dim{Name: name, Size: n} }

func mm(v float64) ops.Number  { return ops.Quantity(v, "mm") }
func us(v float64) ops.Number  { return ops.Quantity(v, "us") }
func mhz(v float64) ops.Number { return ops.Quantity(v, "MHz") }
func deg(v float64) ops.Number { return ops.Quantity(v, "deg") }

func numbers(unit string, v ...float64) ops.List {
	var l ops.List
	for _, x := range v {
		l = append(l, ops.Quantity(x, unit))
	}
	return l
}

func span(from, to float64, n int) ops.Range { return ops.Range{From: mm(from), To: mm(to), N: n} }

// made is what a Make operator gives.
func made[T ops.Value](t testing.TB, spec *ops.Spec, args arguments) T {
	t.Helper()
	v, err := spec.Bind(call(spec, args))
	if err != nil {
		t.Fatalf("%s: %v", spec.Name, err)
	}
	return v.(ops.Known).Value.(T)
}

// problemsOf lists the Problems in an error.
func problemsOf(t testing.TB, err error) []problem.Problem {
	t.Helper()
	var all []problem.Problem
	for _, e := range problem.Each(err) {
		var p problem.Problem
		if !errors.As(e, &p) {
			t.Fatalf("not a Problem: %v", e)
		}
		all = append(all, p)
	}
	return all
}

// codes are the codes of the problems in an error, warnings with a w.
func codes(t testing.TB, err error) []string {
	t.Helper()
	var out []string
	for _, p := range problemsOf(t, err) {
		if p.Warning {
			p.Code += "w"
		}
		out = append(out, p.Code+" "+p.Arg)
	}
	return out
}
