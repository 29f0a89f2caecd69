package optest

import (
	"errors"
	"strings"
	"testing"

	"weft/ops"
	"weft/ops/problem"
)

// Args collects the values of arrays beside the arguments.
type Args struct {
	Values map[string]ops.Value
	Data   map[string]ops.Dense
	Seed   uint64
	NaN    float64
}

// NewArgs has no arguments yet.
func NewArgs() *Args {
	return &Args{Values: map[string]ops.Value{}, Data: map[string]ops.Dense{}, Seed: 1}
}

// Array adds a random array.
func (a *Args) Array(name string, t ops.Type) *Args {
	a.Seed++
	a.Values[name] = Array(t)
	a.Data[name] = Random(t, a.Seed, a.NaN)
	return a
}

// List adds a list of random arrays.
func (a *Args) List(name string, types ...ops.Type) *Args {
	var l ops.List
	for k, t := range types {
		a.Seed++
		l = append(l, Array(t))
		a.Data[ops.ReferenceKey(name, k)] = Random(t, a.Seed, a.NaN)
	}
	a.Values[name] = l
	return a
}

// With adds an argument.
func (a *Args) With(name string, v ops.Value) *Args { a.Values[name] = v; return a }

// Positive replaces the values of an array by their magnitudes.
func (a *Args) Positive(name string) *Args {
	for i, v := range a.Data[name].Re {
		a.Data[name].Re[i] = max(v, -v)
	}
	return a
}

// Check computes the call as optest.Check does.
func (a *Args) Check(t testing.TB, s *ops.Spec) []ops.Dense {
	t.Helper()
	return Check(t, Call(s, a.Values), a.Data)
}

// Fails wants a problem with a code and words in its message or help.
func (a *Args) Fails(t testing.TB, s *ops.Spec, code string, words ...string) {
	t.Helper()
	_, err := s.Bind(Call(s, a.Values))
	var p problem.Problem
	if !errors.As(err, &p) {
		t.Fatalf("%s: got %v, want a problem %s", s.Name, err, code)
	}
	if p.Code != code {
		t.Errorf("%s: code %s (%s), want %s", s.Name, p.Code, p.Message, code)
	}
	for _, w := range words {
		if !strings.Contains(p.Message+" / "+p.Help, w) {
			t.Errorf("%s: %q does not say %q", s.Name, p.Message+" / "+p.Help, w)
		}
	}
}

// Infer gives the outputs of a call.
func Infer(s *ops.Spec, values map[string]ops.Value) ([]ops.Output, error) {
	op, err := s.Bind(Call(s, values))
	if err != nil {
		return nil, err
	}
	return op.Outputs(), nil
}

// Type is an array type in a unit.
func Type(e ops.ElemType, unit string, dims ...ops.Dim) ops.Type {
	t := ops.Type{Elem: e, Dims: dims}
	if unit != "" {
		t.Unit = ops.MustUnit(unit)
	}
	return t
}

// Line is a dim with coordinates from first by step, in a unit.
func Line(name string, size int, unit string, first, step float64) ops.Dim {
	u := ops.MustUnit(unit)
	d := ops.Dim{Name: name, Size: size, Unit: u}
	for i := range size {
		d.Coords = append(d.Coords, (first+step*float64(i))*u.SI())
	}
	return d
}

// Names is a list of names.
func Names(n ...string) ops.Value {
	var l ops.List
	for _, s := range n {
		l = append(l, ops.Symbol(s))
	}
	return l
}

// Dim is a dim without coordinates.
func Dim(name string, size int) ops.Dim { return ops.Dim{Name: name, Size: size} }

// Named finds the operator of a name.
func Named(t testing.TB, specs []*ops.Spec, name string) *ops.Spec {
	t.Helper()
	for _, s := range specs {
		if s.Name == name {
			return s
		}
	}
	t.Fatalf("no operator %s", name)
	return nil
}
