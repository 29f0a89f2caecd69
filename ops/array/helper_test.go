package array

import (
	"errors"
	"strings"
	"testing"

	"weft/ops"
	"weft/ops/optest"
	"weft/ops/problem"
)

// spec finds an operator of the package.
func spec(t testing.TB, name string) *ops.Spec {
	t.Helper()
	for _, s := range Specs() {
		if s.Name == name {
			return s
		}
	}
	t.Fatalf("no operator %s", name)
	return nil
}

// args collects the values of arrays beside the arguments.
type args struct {
	values map[string]ops.Value
	data   map[string]ops.Dense
	seed   uint64
	nan    float64
}

func newArgs() *args {
	return &args{values: map[string]ops.Value{}, data: map[string]ops.Dense{}, seed: 1}
}

// array adds a random array.
func (a *args) array(name string, t ops.Type) *args {
	a.seed++
	a.values[name] = optest.Array(t)
	a.data[name] = optest.Random(t, a.seed, a.nan)
	return a
}

// list adds a list of random arrays.
func (a *args) list(name string, types ...ops.Type) *args {
	var l ops.List
	for k, t := range types {
		a.seed++
		l = append(l, optest.Array(t))
		a.data[ops.ReferenceKey(name, k)] = optest.Random(t, a.seed, a.nan)
	}
	a.values[name] = l
	return a
}

func (a *args) with(name string, v ops.Value) *args { a.values[name] = v; return a }

// positive replaces the values of an array by their magnitudes.
func (a *args) positive(name string) *args {
	for i, v := range a.data[name].Re {
		a.data[name].Re[i] = max(v, -v)
	}
	return a
}

func (a *args) check(t testing.TB, name string) []ops.Dense {
	t.Helper()
	return optest.Check(t, optest.Call(spec(t, name), a.values), a.data)
}

// fails wants a problem with a code and words in its message or help.
func (a *args) fails(t testing.TB, name, code string, words ...string) {
	t.Helper()
	s := spec(t, name)
	_, err := s.Bind(optest.Call(s, a.values))
	var p problem.Problem
	if !errors.As(err, &p) {
		t.Fatalf("%s: got %v, want a problem %s", name, err, code)
	}
	if p.Code != code {
		t.Errorf("%s: code %s (%s), want %s", name, p.Code, p.Message, code)
	}
	for _, w := range words {
		if !strings.Contains(p.Message+" / "+p.Help, w) {
			t.Errorf("%s: %q does not say %q", name, p.Message+" / "+p.Help, w)
		}
	}
}

// infer gives the outputs of a call.
func infer(s *ops.Spec, values map[string]ops.Value) ([]ops.Output, error) {
	op, err := s.Bind(optest.Call(s, values))
	if err != nil {
		return nil, err
	}
	return op.Outputs(), nil
}

// typ is an array type in a unit.
func typ(e ops.ElemType, unit string, dims ...ops.Dim) ops.Type {
	t := ops.Type{Elem: e, Dims: dims}
	if unit != "" {
		t.Unit = ops.MustUnit(unit)
	}
	return t
}

func dim(name string, size int) ops.Dim { return ops.Dim{Name: name, Size: size} }

// line is a dim with coordinates from first by step, in a unit.
func line(name string, size int, unit string, first, step float64) ops.Dim {
	u := ops.MustUnit(unit)
	d := ops.Dim{Name: name, Size: size, Unit: u}
	for i := range size {
		d.Coords = append(d.Coords, (first+step*float64(i))*u.SI())
	}
	return d
}

func names(n ...string) ops.Value {
	var l ops.List
	for _, s := range n {
		l = append(l, ops.Symbol(s))
	}
	return l
}
