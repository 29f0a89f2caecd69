package array

import (
	"math"
	"testing"
	"weft/ops/optest"

	"weft/ops"
	"weft/ops/problem"
)

func TestDecibel(t *testing.T) {
	d := []ops.Dim{optest.Dim("x", 4), optest.Dim("y", 6)}
	for _, e := range []ops.ElemType{i16, ops.F32, ops.F64, ops.C64} {
		optest.NewArgs().Array("input", ops.Type{Elem: e, Dims: d}).Check(t, spec(t, "decibel"))
		optest.NewArgs().Array("input", ops.Type{Elem: e, Dims: d}).With("over", ops.Symbol("x")).With("range", ops.Quantity(20, "dB")).Check(t, spec(t, "decibel"))
		optest.NewArgs().Array("input", ops.Type{Elem: e, Dims: d}).With("reference", ops.Number{V: 0.5}).Check(t, spec(t, "decibel"))
		a := optest.NewArgs()
		a.NaN = 0.2
		a.Array("input", ops.Type{Elem: e, Dims: d}).Check(t, spec(t, "decibel"))
	}
}

// TestDecibelOfNothing: a silent array is at the floor everywhere, without NaN.
func TestDecibelOfNothing(t *testing.T) {
	a := optest.NewArgs().Array("input", optest.Type(ops.C64, "Pa", optest.Dim("x", 5)))
	clear(a.Data["input"].Re)
	clear(a.Data["input"].Im)
	for _, v := range a.Check(t, spec(t, "decibel"))[0].Re {
		if v != -60 {
			t.Errorf("level %v, want -60", v)
		}
	}
}

func TestDecibelValues(t *testing.T) {
	a := optest.NewArgs().Array("input", optest.Type(ops.F32, "", optest.Dim("x", 4)))
	copy(a.Data["input"].Re, []float64{-10, 1, 0.1, 0})
	got := a.Check(t, spec(t, "decibel"))[0].Re
	for i, want := range []float64{0, -20, -40, -60} {
		if math.Abs(got[i]-want) > 1e-9 {
			t.Errorf("level of element %d is %v, want %v", i, got[i], want)
		}
	}
}

func TestLevelErrors(t *testing.T) {
	x := optest.Dim("x", 3)
	optest.NewArgs().Array("input", optest.Type(ops.F32, "dB", x)).Fails(t, spec(t, "decibel"), problem.WrongUnit, "dB already")
	optest.NewArgs().Array("input", optest.Type(ops.F32, "Pa", x)).With("reference", ops.Quantity(1, "V")).Fails(t, spec(t, "decibel"), problem.UnitMismatch, "V", "Pa")
	optest.NewArgs().Array("input", optest.Type(ops.F32, "", x)).Fails(t, spec(t, "envelope"), problem.WrongElementType, "demodulate")
	optest.NewArgs().Array("input", optest.Type(ops.C64, "Pa", x)).Check(t, spec(t, "envelope"))
	s := spec(t, "decibel")
	out, err := optest.Infer(s, optest.NewArgs().Array("input", optest.Type(ops.C64, "Pa", optest.Line("x", 3, "mm", 0, 1))).Values)
	if err != nil || out[0].Type.String() != "f32 [x: 3] dB" || out[0].Type.Dims[0].Coords == nil {
		t.Errorf("decibel gives %v, %v", out, err)
	}
}
