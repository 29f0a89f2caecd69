package array

import (
	"errors"
	"math"
	"slices"
	"testing"
	"weft/ops/optest"

	"weft/kernels/ir"
	"weft/ops"

	"weft/ops/problem"
)

var (
	i16 = ops.ElemType{Base: ir.I16}
	f16 = ops.ElemType{Base: ir.F16}
)

// TestElementwise runs every elementwise operator over element types, broadcasts and literals, with and without NaN.
func TestElementwise(t *testing.T) {
	xy, yz := []ops.Dim{optest.Dim("x", 3), optest.Dim("y", 4)}, []ops.Dim{optest.Dim("y", 4), optest.Dim("z", 2)}
	elems := []ops.ElemType{ops.Bool, i16, ops.I32, ops.I64, ops.F32, ops.F64, ops.C64}
	tables := slices.Concat(arithmetic, comparisons, functions, elementary, bitwise)
	for _, e := range tables {
		t.Run(e.name, func(t *testing.T) {
			ran := 0
			for i, left := range elems {
				for j, right := range elems {
					if len(e.args) == 1 && j > 0 {
						continue
					}
					a := optest.NewArgs()
					a.Seed = uint64(100*i + j)
					if (i+j)%2 == 1 {
						a.NaN = 0.2
					}
					types := []ops.ElemType{left, right, left}
					for k, arg := range e.args {
						elem := types[k]
						if k < e.masks {
							elem = ops.Bool
						}
						d := xy
						if k == 1 {
							d = yz
						}
						a.Array(arg.name, ops.Type{Elem: elem, Dims: d})
					}
					c := optest.Call(spec(t, e.name), a.Values)
					if _, err := c.Spec.Bind(c); err != nil {
						continue // refused types have tests of their own
					}
					ran++
					a.Check(t, spec(t, e.name))
				}
			}
			if ran == 0 {
				t.Error("no combination of types was accepted")
			}
		})
	}
}

func TestResultTypes(t *testing.T) {
	n := func(v float64, whole bool) ops.Value { return ops.Number{V: v, Int: whole} }
	x := optest.Dim("x", 3)
	tests := []struct {
		op   string
		a, b ops.Value
		want string
	}{
		{"add", optest.Array(optest.Type(ops.F32, "", x)), n(2.5, false), "f32 [x: 3]"},
		{"add", optest.Array(optest.Type(i16, "", x)), n(2, true), "i32 [x: 3]"},
		{"add", optest.Array(optest.Type(i16, "", x)), n(1e10, true), "i64 [x: 3]"},
		{"add", optest.Array(optest.Type(i16, "", x)), n(2.5, false), "f32 [x: 3]"},
		{"mul", optest.Array(optest.Type(ops.I64, "", x)), n(2.5, false), "f64 [x: 3]"},
		{"div", optest.Array(optest.Type(ops.I32, "", x)), n(2, true), "f32 [x: 3]"},
		{"add", optest.Array(optest.Type(ops.Bool, "", x)), optest.Array(optest.Type(ops.Bool, "", x)), "i32 [x: 3]"},
		{"add", optest.Array(optest.Type(f16, "", x)), optest.Array(optest.Type(ops.C64, "", x)), "c64 [x: 3]"},
		{"mul", optest.Array(optest.Type(ops.F32, "m", x)), optest.Array(optest.Type(ops.F32, "1/s", optest.Dim("y", 2))), "f32 [x: 3, y: 2] m s^-1"},
		{"div", optest.Array(optest.Type(ops.F32, "mm", x)), optest.Array(optest.Type(ops.F32, "m", x)), "f32 [x: 3]"},
		{"mul", n(2, true), optest.Array(optest.Type(ops.F32, "mm", x)), "f32 [x: 3] mm"},
		{"power", optest.Array(optest.Type(ops.F32, "mm", x)), n(2, true), "f32 [x: 3] mm^2"},
		{"power", optest.Array(optest.Type(ops.I32, "", x)), n(2, true), "i64 [x: 3]"},
		{"power", optest.Array(optest.Type(i16, "", x)), n(2, true), "i32 [x: 3]"},
		{"power", optest.Array(optest.Type(i16, "", x)), n(3, true), "i64 [x: 3]"},
		{"mul", optest.Array(optest.Type(i16, "", x)), optest.Array(optest.Type(ops.I32, "", x)), "i64 [x: 3]"},
		{"sub", optest.Array(optest.Type(ops.I32, "", x)), n(1, true), "i64 [x: 3]"},
		{"power", optest.Array(optest.Type(ops.I32, "", x)), n(-2, true), "f32 [x: 3]"},
		{"less", optest.Array(optest.Type(ops.F32, "mm", x)), n(0, true), "bool [x: 3]"},
		{"sub", optest.Array(optest.Type(ops.F32, "degC", x)), optest.Array(optest.Type(ops.F32, "degC", x)), "f32 [x: 3] K"},
		{"sub", optest.Array(optest.Type(ops.F32, "degC", x)), optest.Array(optest.Type(ops.F32, "K", x)), "f32 [x: 3] degC"},
		{"add", optest.Array(optest.Type(ops.F32, "dB", x)), optest.Array(optest.Type(ops.F32, "dB", x)), "f32 [x: 3] dB"},
	}
	for _, tt := range tests {
		s := spec(t, tt.op)
		out, err := optest.Infer(s, map[string]ops.Value{"a": tt.a, "b": tt.b})
		if err != nil {
			t.Errorf("%s(%v, %v): %v", tt.op, tt.a, tt.b, err)
		} else if got := out[0].Type.String(); got != tt.want {
			t.Errorf("%s(%v, %v) is %s, want %s", tt.op, tt.a, tt.b, got, tt.want)
		}
	}
}

func TestElementwiseErrors(t *testing.T) {
	x3, x4 := optest.Dim("x", 3), optest.Dim("x", 4)
	real32 := func(unit string, d ...ops.Dim) ops.Type { return optest.Type(ops.F32, unit, d...) }
	optest.NewArgs().Array("a", real32("", x3)).Array("b", real32("", x4)).Fails(t, spec(t, "add"), problem.ExtentMismatch, "x", "4 points here", "3 on the other side")
	optest.NewArgs().Array("a", real32("mm", x3)).Array("b", real32("MHz", x3)).Fails(t, spec(t, "add"), problem.UnitMismatch, "mm", "MHz")
	optest.NewArgs().Array("a", real32("dB", x3)).With("b", ops.Number{V: 1, Int: true}).Fails(t, spec(t, "add"), problem.UnitMismatch, "dB", "plain")
	optest.NewArgs().Array("a", optest.Type(ops.C64, "", x3)).Array("b", real32("", x3)).Fails(t, spec(t, "less"), problem.WrongElementType, "complex", "abs")
	optest.NewArgs().Array("a", real32("", x3)).Array("b", optest.Type(ops.Bool, "", x3)).Fails(t, spec(t, "and"), problem.NotABoolean, "... > 0")
	optest.NewArgs().Array("a", real32("mm", x3)).Fails(t, spec(t, "exp"), problem.UnitInFunction, "... / (1 mm)")
	optest.NewArgs().Array("a", real32("mm", x3)).Fails(t, spec(t, "sqrt"), problem.BadPower, "mm")
	optest.NewArgs().Array("a", real32("mm", x3)).With("b", ops.Number{V: 1.5}).Fails(t, spec(t, "power"), problem.BadPower, "whole constant")
	optest.NewArgs().Array("a", real32("degC", x3)).With("b", ops.Number{V: 2, Int: true}).Fails(t, spec(t, "mul"), problem.OffsetUnit, "degC")
	optest.NewArgs().Array("a", real32("", optest.Line("x", 3, "mm", 0, 1))).Array("b", real32("", optest.Line("x", 3, "mm", 1, 1))).
		Fails(t, spec(t, "add"), problem.CoordinateMismatch, "0 mm .. 2 mm in 3", "1 mm .. 3 mm in 3")
	optest.NewArgs().Array("a", real32("", x3)).Array("b", real32("", x3)).With("over", ops.Symbol("x")).Fails(t, spec(t, "max"), problem.ContradictArguments)
	optest.NewArgs().Array("condition", real32("", x3)).With("a", ops.Number{}).With("b", ops.Number{}).Fails(t, spec(t, "where"), problem.NotABoolean)
}

func TestLiterals(t *testing.T) {
	x := optest.Dim("x", 7)
	mm := ops.MustUnit("mm")
	for _, n := range []ops.Number{{V: 2, Int: true}, {V: 0.5}, {V: -3, Int: true}, {V: 0, Int: true}, {V: 20, Int: true}, {V: 1.7}} {
		for _, e := range []ops.ElemType{i16, ops.F32, ops.F64} {
			for _, op := range []string{"add", "mul", "power", "less", "div"} {
				if n.V == 20 && e == i16 && op == "power" {
					continue // beyond 32 bits
				}
				optest.NewArgs().Array("a", optest.Type(e, "", x)).Positive("a").With("b", n).Check(t, spec(t, op))
				optest.NewArgs().Array("b", optest.Type(e, "", x)).With("a", n).Check(t, spec(t, op))
			}
		}
	}
	optest.NewArgs().Array("a", optest.Type(ops.F32, "m", x)).With("low", ops.Number{V: -1e-3, Unit: mm}).With("high", ops.Number{V: 1e-3, Unit: mm}).Check(t, spec(t, "clamp"))
	optest.NewArgs().Array("condition", optest.Type(ops.Bool, "", x)).With("a", ops.Number{V: 1e-3, Unit: mm}).With("b", ops.Number{Int: true}).Check(t, spec(t, "where"))
}

// TestNumbers checks what operators give of numbers alone.
func TestNumbers(t *testing.T) {
	mm := ops.MustUnit("mm")
	length := func(v float64) ops.Number { return ops.Number{V: v * 1e-3, Unit: mm} }
	plain := func(v float64) ops.Number { return ops.Number{V: v, Int: v == math.Trunc(v)} }
	tests := []struct {
		op   string
		a, b ops.Value
		want string
	}{
		{"add", length(1), length(2), "3 mm"},
		{"mul", plain(3), length(2), "6 mm"},
		{"div", length(3), length(2), "1.5"},
		{"div", plain(6), plain(2), "3"},
		{"sqrt", plain(4), nil, "2"},
		{"power", length(3), plain(2), "9 mm^2"},
		{"less", length(1), length(2), "true"},
		{"max", length(1), length(2), "2 mm"},
		{"not", ops.Flag(true), nil, "false"},
		{"max", length(1), nil, "1 mm"},
		{"sum", length(1), nil, "1 mm"},
		{"mean", plain(3), nil, "3"},
		{"all", ops.Flag(false), nil, "false"},
	}
	for _, tt := range tests {
		s := spec(t, tt.op)
		op, err := s.Bind(optest.Call(s, map[string]ops.Value{"a": tt.a, "b": tt.b}))
		if err != nil {
			t.Errorf("%s(%v, %v): %v", tt.op, tt.a, tt.b, err)
		} else if v := op.(ops.Known).Value; v.String() != tt.want {
			t.Errorf("%s(%v, %v) = %v, want %s", tt.op, tt.a, tt.b, v, tt.want)
		}
	}
	for _, bad := range []struct {
		op   string
		a, b ops.Value
		code string
	}{
		{"div", plain(1), plain(0), problem.DivisionByZero},
		{"sqrt", plain(-1), nil, problem.NotFiniteConstant},
		{"add", length(1), plain(1), problem.UnitMismatch},
		{"add", ops.Flag(true), plain(1), problem.NotANumber},
	} {
		s := spec(t, bad.op)
		_, err := s.Bind(optest.Call(s, map[string]ops.Value{"a": bad.a, "b": bad.b}))
		var p problem.Problem
		if !errors.As(err, &p) || p.Code != bad.code {
			t.Errorf("%s(%v, %v): %v, want %s", bad.op, bad.a, bad.b, err, bad.code)
		}
	}
}
