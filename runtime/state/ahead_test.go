package state

import (
	"slices"
	"testing"

	"weft/kernels/interp"
	"weft/kernels/ir"
	"weft/ops"
	"weft/planner/bound"
	"weft/planner/plan"
	"weft/runtime/arrays"
)

// numbers are arrays of three numbers each.
func numbers(ids ...string) *bound.Plan {
	p := &bound.Plan{}
	for _, id := range ids {
		p.Buffers = append(p.Buffers, bound.Buffer{Buffer: plan.Buffer{ID: id, Stage: id, Bytes: 24}, Bufs: []*ir.Buffer{{Name: id, Type: ir.F64, Shape: []int{3}}},
			Array: &ops.Stage{}, Layout: ops.Type{Elem: ops.F64, Dims: []ops.Dim{{Name: "x", Size: 3}}}})
	}
	return p
}

// What the host sets after calls that went ahead of it is not in what these are made again from, wherever it lies by then, and is set again with the numbers that it was set with.
func TestSetAheadOfTheHost(t *testing.T) {
	cpu := interp.New(interp.Options{})
	around := arrays.New(numbers("p", "q"), cpu, nil)
	for _, id := range []string{"p", "q"} {
		if err := around.Need(id, false); err != nil {
			t.Fatal(err)
		}
	}
	step := &bound.Step{Step: plan.Step{Drive: &plan.Drive{Start: []string{"p", "q"}}}}
	s, err := Begin(step, around, false, Place{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	has := func(when string, i int, want ...float64) {
		t.Helper()
		part, err := s.Numbers(i)
		if err != nil {
			t.Fatal(err)
		}
		got := make([]float64, 3)
		if part.Load(got, 0); !slices.Equal(got, want) {
			t.Errorf("%s: array %d is %v, not %v", when, i, got, want)
		}
	}
	set := func(i int, v ...float64) {
		t.Helper()
		if err := s.Set(t.Context(), i, 0, v); err != nil {
			t.Fatal(err)
		}
	}
	set(0, 1, 2, 3)
	set(1, 4, 5, 6)
	of := numbers("p now", "q now", "q next")
	call := NewCall(plan.DriveProgram{Now: []string{"p now", "q now"}, Next: []string{"q now", "q next"}}, of, arrays.New(of, cpu, nil)) // p is what q was
	if err := s.Lend(call, true); err != nil {
		t.Fatal(err)
	}
	has("after a call", 0, 4, 5, 6)
	v := []float64{7, 8, 9}
	set(0, v...)
	clear(v)
	has("set", 0, 7, 8, 9)
	log, err := s.Restore()
	if err != nil {
		t.Fatal(err)
	}
	has("restored", 0, 1, 2, 3)
	has("restored", 1, 4, 5, 6)
	if len(log) != 2 || log[0].Call != call || log[1].Call != nil {
		t.Fatalf("%+v is the log", log)
	}
	if err := s.Lend(call, false); err != nil {
		t.Fatal(err)
	}
	if err := log[1].Set(); err != nil {
		t.Fatal(err)
	}
	has("set again", 0, 7, 8, 9)
}
