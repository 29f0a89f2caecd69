package array

import (
	"math"
	"testing"

	"weft/ops"
	"weft/ops/problem"
)

func TestDecibel(t *testing.T) {
	d := []ops.Dim{dim("x", 4), dim("y", 6)}
	for _, e := range []ops.ElemType{i16, ops.F32, ops.F64, ops.C64} {
		newArgs().array("input", ops.Type{Elem: e, Dims: d}).check(t, "decibel")
		newArgs().array("input", ops.Type{Elem: e, Dims: d}).with("over", ops.Symbol("x")).with("range", ops.Quantity(20, "dB")).check(t, "decibel")
		newArgs().array("input", ops.Type{Elem: e, Dims: d}).with("reference", ops.Number{V: 0.5}).check(t, "decibel")
		a := newArgs()
		a.nan = 0.2
		a.array("input", ops.Type{Elem: e, Dims: d}).check(t, "decibel")
	}
}

// TestDecibelOfNothing: a silent array is at the floor everywhere, without NaN.
func TestDecibelOfNothing(t *testing.T) {
	a := newArgs().array("input", typ(ops.C64, "Pa", dim("x", 5)))
	clear(a.data["input"].Re)
	clear(a.data["input"].Im)
	for _, v := range a.check(t, "decibel")[0].Re {
		if v != -60 {
			t.Errorf("level %v, want -60", v)
		}
	}
}

func TestDecibelValues(t *testing.T) {
	a := newArgs().array("input", typ(ops.F32, "", dim("x", 4)))
	copy(a.data["input"].Re, []float64{-10, 1, 0.1, 0})
	got := a.check(t, "decibel")[0].Re
	for i, want := range []float64{0, -20, -40, -60} {
		if math.Abs(got[i]-want) > 1e-9 {
			t.Errorf("level of element %d is %v, want %v", i, got[i], want)
		}
	}
}

func TestLevelErrors(t *testing.T) {
	x := dim("x", 3)
	newArgs().array("input", typ(ops.F32, "dB", x)).fails(t, "decibel", problem.WrongUnit, "dB already")
	newArgs().array("input", typ(ops.F32, "Pa", x)).with("reference", ops.Quantity(1, "V")).fails(t, "decibel", problem.UnitMismatch, "V", "Pa")
	newArgs().array("input", typ(ops.F32, "", x)).fails(t, "envelope", problem.WrongElementType, "demodulate")
	newArgs().array("input", typ(ops.C64, "Pa", x)).check(t, "envelope")
	s := spec(t, "decibel")
	out, err := infer(s, newArgs().array("input", typ(ops.C64, "Pa", line("x", 3, "mm", 0, 1))).values)
	if err != nil || out[0].Type.String() != "f32 [x: 3] dB" || out[0].Type.Dims[0].Coords == nil {
		t.Errorf("decibel gives %v, %v", out, err)
	}
}
