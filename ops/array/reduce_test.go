package array

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"weft/kernels/interp"
	"weft/ops"
	"weft/ops/optest"
	"weft/ops/problem"
)

func TestReductions(t *testing.T) {
	d := []ops.Dim{dim("x", 3), dim("y", 5), dim("z", 4)}
	elems := []ops.ElemType{ops.Bool, i16, ops.I64, ops.F32, ops.F64, ops.C64}
	overs := []ops.Value{nil, ops.Symbol("x"), ops.Symbol("z"), names("z", "x"), names("x", "y", "z"), names("y")}
	for _, name := range []string{"sum", "mean", "norm", "min", "max", "argmin", "argmax", "any", "all"} {
		t.Run(name, func(t *testing.T) {
			ran := 0
			for i, e := range elems {
				for j, over := range overs {
					a := newArgs()
					a.seed, a.nan = uint64(10*i+j), 0.1*float64(j%3)
					a.array("a", ops.Type{Elem: e, Dims: d})
					if over != nil {
						a.with("over", over)
					}
					c := optest.Call(spec(t, name), a.values)
					if _, err := c.Spec.Bind(c); err != nil {
						continue
					}
					ran++
					a.check(t, name)
				}
			}
			if ran == 0 {
				t.Error("no combination of types was accepted")
			}
		})
	}
}

// Medians and other quantiles, of few elements that are sorted and of many that are searched, with and without NaN.
func TestQuantiles(t *testing.T) {
	d := []ops.Dim{dim("x", 3), dim("y", 11), dim("z", 4)}
	for i, e := range []ops.ElemType{ops.Bool, i16, ops.I64, ops.F32, ops.F64} {
		for j, over := range []ops.Value{nil, ops.Symbol("x"), ops.Symbol("y"), names("x", "y"), names("y", "z"), names("z")} {
			for k, q := range []float64{-1, 0, 0.37, 0.9, 1} {
				a := newArgs()
				a.seed, a.nan = uint64(100*i+10*j+k), 0.02*float64(j%2)
				a.array("a", ops.Type{Elem: e, Dims: d})
				if over != nil {
					a.with("over", over)
				}
				name := "median"
				if q >= 0 {
					name = "quantile"
					a.with("q", ops.Number{V: q})
				}
				a.check(t, name)
			}
		}
	}
}

// TestDot multiplies and sums in one, with dims of both that stay, in any order, and of one.
func TestDot(t *testing.T) {
	a, b := []ops.Dim{dim("x", 3), dim("k", 5), dim("t", 2), dim("l", 2)}, []ops.Dim{dim("l", 2), dim("y", 4), dim("t", 2), dim("k", 5)}
	for _, e := range []ops.ElemType{ops.Bool, i16, ops.I64, ops.F32, ops.F64, ops.C64} {
		for _, over := range []ops.Value{ops.Symbol("k"), names("k", "l"), names("t")} {
			args := newArgs().array("a", ops.Type{Elem: e, Dims: a}).array("b", ops.Type{Elem: e, Dims: b}).with("over", over)
			args.check(t, "dot")
		}
	}
	for _, c := range []struct {
		over ops.Value
		want string
	}{{ops.Symbol("x"), "b has no dimension x"}, {ops.Symbol("q"), "no dimension q"}} {
		args := newArgs().array("a", ops.Type{Elem: ops.F32, Dims: a}).array("b", ops.Type{Elem: ops.F32, Dims: b}).with("over", c.over)
		call := optest.Call(spec(t, "dot"), args.values)
		if _, err := call.Spec.Bind(call); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("over %v: %v, want %s", c.over, err, c.want)
		}
	}
}

// TestTwoStages reduces arrays that are cut into partial results, with blocks that are not all full.
func TestTwoStages(t *testing.T) {
	shapes := [][]ops.Dim{
		{dim("x", 5001)},
		{dim("x", 2), dim("y", 4099)},
		{dim("x", 19), dim("y", 17), dim("z", 23)},
		{dim("x", 4100), dim("y", 2)},
	}
	for _, d := range shapes {
		for _, name := range []string{"sum", "mean", "norm", "min", "max", "argmin", "argmax"} {
			t.Run(fmt.Sprint(name, ops.Type{Dims: d}), func(t *testing.T) {
				a := newArgs().array("a", ops.Type{Elem: ops.F32, Dims: d})
				a.data["a"].Re[7] = math.NaN()
				if name == "sum" || name == "mean" || name == "norm" {
					a.data["a"].Re[7] = 3
				}
				c := optest.Call(spec(t, name), a.values)
				want := optest.Reference(t, c, a.data)
				got := optest.Run(t, c, a.data, interp.Exact, optest.Stored)
				if err := optest.Differ(got[0], want[0], c.Spec.Error); err != nil {
					t.Error(err)
				}
				if n := partialStages(t, c); n == 0 {
					t.Error("done in one stage")
				}
			})
		}
	}
}

func partialStages(t *testing.T, c *ops.Call) int {
	a, _ := c.Array("a")
	in := &ops.Stage{Type: a.Type(), Source: true}
	op := optest.Instance(t, c)
	l := ops.NewLowering(op, func(ops.Array) *ops.Stage { return in })
	op.Bound.(ops.Lowerer).Lower(l)
	return len(l.Made()) - 1
}

// TestLongSums checks that sums of many f32 do not lose what f32 accumulation loses.
func TestLongSums(t *testing.T) {
	const n = 60000
	a := newArgs().array("a", typ(ops.F32, "", dim("x", n)))
	for i := range n {
		a.data["a"].Re[i] = float64(float32(0.1))
	}
	c := optest.Call(spec(t, "sum"), a.values)
	got := optest.Run(t, c, a.data, interp.Exact, optest.Stored)[0].Re[0]
	want := n * float64(float32(0.1))
	if math.Abs(got-want) > 1e-7*want { // f32 throughout is off by 1e-4
		t.Errorf("sum is %v, want %v", got, want)
	}
}

func TestReductionDims(t *testing.T) {
	a := typ(ops.C64, "Pa", line("x", 3, "mm", 0, 1), dim("y", 4))
	tests := []struct{ name, over, want string }{
		{"sum", "x", "c64 [y: 4] Pa"},
		{"norm", "y", "f32 [x: 3] Pa"},
		{"mean", "", "c64 [] Pa"},
	}
	for _, tt := range tests {
		args := newArgs().array("a", a)
		if tt.over != "" {
			args.with("over", ops.Symbol(tt.over))
		}
		out, err := infer(spec(t, tt.name), args.values)
		if err != nil || out[0].Type.String() != tt.want {
			t.Errorf("%s over %q: %v, %v, want %s", tt.name, tt.over, out, err, tt.want)
		}
	}
	x := typ(ops.F32, "", dim("x", 3))
	newArgs().array("a", x).with("over", ops.Symbol("q")).fails(t, "sum", problem.UnknownDim, "q", "its dimensions are x")
	newArgs().array("a", x).with("over", names("x", "x")).fails(t, "sum", problem.DuplicateDim, "x")
	newArgs().array("a", x).with("over", ops.List{ops.Number{V: 1}}).fails(t, "sum", problem.NotANameList)
	newArgs().array("a", x).with("over", ops.List{}).fails(t, "sum", problem.NotANameList)
	newArgs().array("a", a).fails(t, "max", problem.WrongElementType, "complex")
	newArgs().array("a", x).fails(t, "any", problem.NotABoolean)
}

func TestSkippedNaN(t *testing.T) {
	a := newArgs().array("a", typ(ops.F32, "", dim("x", 4)))
	nan, inf, next := math.NaN(), math.Inf(1), float64(math.Nextafter32(math.MaxFloat32, 0))
	for _, tt := range []struct {
		values []float64
		want   map[string]float64
	}{
		{[]float64{nan, 2, -1, nan}, map[string]float64{"min": -1, "max": 2, "argmin": 2, "argmax": 1}},
		{[]float64{nan, inf, inf, nan}, map[string]float64{"argmin": 1, "argmax": 1}},
		{[]float64{nan, nan, -inf, nan}, map[string]float64{"argmin": 2, "argmax": 2}},
		{[]float64{inf, math.MaxFloat32, nan, inf}, map[string]float64{"argmin": 1, "argmax": 0}},
		{[]float64{math.MaxFloat32, next, nan, inf}, map[string]float64{"argmin": 1, "argmax": 3}},
		{[]float64{-next, -math.MaxFloat32, -inf, nan}, map[string]float64{"argmin": 2, "argmax": 0}},
		{[]float64{next, math.MaxFloat32, -next, -math.MaxFloat32}, map[string]float64{"argmin": 3, "argmax": 1}},
		{[]float64{2, 2, -1, -1}, map[string]float64{"argmin": 2, "argmax": 0}},
		{[]float64{nan, nan, nan, nan}, map[string]float64{"min": math.Inf(1), "max": math.Inf(-1), "argmin": 0, "argmax": 0}},
	} {
		copy(a.data["a"].Re, tt.values)
		for name, want := range tt.want {
			if got := a.check(t, name)[0].Re[0]; got != want {
				t.Errorf("%s of %v is %v, want %v", name, tt.values, got, want)
			}
		}
	}
}

// TestLongSumsThatCancel: partial results keep what the sum of them needs. All numbers are whole, so that float64 is exact.
func TestLongSumsThatCancel(t *testing.T) {
	const n = 20000
	for name, want := range map[string]float64{"sum": n / 2, "mean": 0.5} {
		a := newArgs().array("a", ops.Type{Elem: ops.F32, Dims: []ops.Dim{dim("x", n)}})
		x := a.data["a"].Re
		for i := range n / 2 {
			x[i] = float64(1000*i + 3)
			x[n/2+i] = float64(float32(-x[i])) + 1
		}
		got := optest.Run(t, optest.Call(spec(t, name), a.values), a.data, interp.Exact, optest.Stored)[0]
		if got.Re[0] != want {
			t.Errorf("%s is %g, want %g", name, got.Re[0], want)
		}
	}
}
