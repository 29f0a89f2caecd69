package array

import (
	"math"
	"slices"
	"testing"

	"weft/ops"
	"weft/ops/optest"
	"weft/ops/problem"
)

func mm(v float64) ops.Number { return ops.Quantity(v, "mm") }

func span(from, to ops.Number) ops.Range { return ops.Range{From: from, To: to} }

func TestCreate(t *testing.T) {
	counted := span(mm(-1), mm(1))
	counted.N = 5
	optest.NewArgs().With("dim", ops.Symbol("x")).With("points", counted).Check(t, spec(t, "axis"))
	optest.NewArgs().With("dim", ops.Symbol("x")).With("points", span(mm(0), mm(1))).Fails(t, spec(t, "axis"), problem.RangeWithoutCount, "in 64")
	huge := span(mm(0), mm(1))
	huge.N = 1 << 40
	optest.NewArgs().With("dim", ops.Symbol("x")).With("points", huge).Fails(t, spec(t, "axis"), problem.OutOfBounds, "16777216")
	huge.N, huge.Step = 0, 1e-300
	optest.NewArgs().With("dim", ops.Symbol("x")).With("points", huge).Fails(t, spec(t, "axis"), problem.OutOfBounds)
	huge.Step = -1e-3
	optest.NewArgs().With("dim", ops.Symbol("x")).With("points", huge).Fails(t, spec(t, "axis"), problem.EmptyRange)
	a := optest.Type(ops.F32, "", optest.Line("x", 3, "mm", 0, 1), optest.Dim("y", 4))
	optest.NewArgs().Array("input", a).With("dim", ops.Symbol("x")).Check(t, spec(t, "coordinates"))
	optest.NewArgs().Array("input", a).With("dim", ops.Symbol("y")).Check(t, spec(t, "indices"))
	optest.NewArgs().Array("input", a).With("dim", ops.Symbol("y")).Fails(t, spec(t, "coordinates"), problem.NoCoordinates, "with_coordinates")
	optest.NewArgs().With("value", mm(3)).With("dims", optest.Names("x", "y")).With("extents", ops.List{ops.Integer(2), ops.Integer(3)}).Check(t, spec(t, "fill"))
	optest.NewArgs().With("value", ops.Integer(7)).With("dims", ops.Symbol("x")).With("extents", ops.Integer(2)).Check(t, spec(t, "fill"))
	optest.NewArgs().With("value", ops.Integer(7)).With("dims", ops.Symbol("x")).With("extents", ops.Integer(-1)).Fails(t, spec(t, "fill"), problem.ZeroExtent)
}

// Coordinates that f32 would move by a part of their distance, such as northings of pixels, are f64.
func TestCoordinatesAreToldApart(t *testing.T) {
	for _, c := range []struct {
		first, step float64
		want        ops.ElemType
	}{{0, 1, ops.F32}, {4.2e6, 0.5, ops.F64}, {4.2e6, 10, ops.F64}, {4.2e6, 30, ops.F32}, {1.7e9, 86400, ops.F32}, {1.7e9, 3600, ops.F64}} {
		a := optest.NewArgs().Array("input", optest.Type(ops.F32, "", optest.Line("y", 3, "m", c.first, c.step))).With("dim", ops.Symbol("y"))
		out := a.Check(t, spec(t, "coordinates"))
		if got := optest.Bind(t, optest.Call(spec(t, "coordinates"), a.Values)).Outputs()[0].Type.Elem; got != c.want {
			t.Errorf("from %g by %g: %s, want %s", c.first, c.step, got, c.want)
		}
		if apart := math.Abs(out[0].Re[2] - out[0].Re[1] - c.step); apart > c.step/32 {
			t.Errorf("from %g by %g: neighbours are off by %g", c.first, c.step, apart)
		}
	}
}

func TestCast(t *testing.T) {
	x := optest.Dim("x", 40)
	for _, from := range []ops.ElemType{ops.Bool, i16, ops.I64, ops.F32, ops.F64, ops.C64} {
		for _, to := range castTypes {
			if from.Complex && !to.Complex {
				continue
			}
			a := optest.NewArgs()
			a.NaN = 0.2
			a.Array("input", ops.Type{Elem: from, Dims: []ops.Dim{x}})
			if from.Base.Float() {
				copy(a.Data["input"].Re, []float64{1e30, -1e30, 3e9, -3e9, 2.9, -2.9})
				for i, v := range a.Data["input"].Re {
					a.Data["input"].Re[i] = float64(float32(v))
				}
			}
			a.With("type", ops.Symbol(to.String())).Check(t, spec(t, "cast"))
		}
	}
	optest.NewArgs().Array("re", optest.Type(ops.F32, "V", x)).Array("im", optest.Type(ops.F64, "V", x)).Check(t, spec(t, "complex"))
	optest.NewArgs().Array("input", optest.Type(ops.C64, "", x)).With("type", ops.Symbol("f32")).Fails(t, spec(t, "cast"), problem.WrongElementType, "abs")
	optest.NewArgs().Array("input", optest.Type(ops.F32, "mm", x)).With("type", ops.Symbol("i32")).Fails(t, spec(t, "cast"), problem.UnexpectedUnit, "1 mm")
}

func TestCastBeyondIntegers(t *testing.T) {
	inf := math.Inf(1)
	for _, from := range []ops.ElemType{ops.F32, ops.F64} {
		for to, limits := range map[string][2]float64{"i32": {math.MinInt32, math.MaxInt32}, "i64": {math.MinInt64, math.MaxInt64},
			"u8": {0, 255}, "i8": {-128, 127}, "u16": {0, 65535}, "i16": {-32768, 32767}} {
			a := optest.NewArgs().Array("input", optest.Type(from, "", optest.Dim("x", 6))).With("type", ops.Symbol(to))
			copy(a.Data["input"].Re, []float64{inf, -inf, 1e20, -1e20, math.NaN(), -2.75})
			got := a.Check(t, spec(t, "cast"))[0].Re
			if want := []float64{limits[1], limits[0], limits[1], limits[0], 0, max(-2, limits[0])}; !slices.Equal(got, want) {
				t.Errorf("%s to %s: got %v, want %v", from, to, got, want)
			}
		}
	}
}
