package array

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"weft/ops/optest"

	"weft/kernels/interp"
	"weft/ops"

	"weft/ops/problem"
)

func TestReductions(t *testing.T) {
	d := []ops.Dim{optest.Dim("x", 3), optest.Dim("y", 5), optest.Dim("z", 4)}
	elems := []ops.ElemType{ops.Bool, i16, ops.I64, ops.F32, ops.F64, ops.C64}
	overs := []ops.Value{nil, ops.Symbol("x"), ops.Symbol("z"), optest.Names("z", "x"), optest.Names("x", "y", "z"), optest.Names("y")}
	for _, name := range []string{"sum", "mean", "norm", "min", "max", "argmin", "argmax", "any", "all"} {
		t.Run(name, func(t *testing.T) {
			ran := 0
			for i, e := range elems {
				for j, over := range overs {
					a := optest.NewArgs()
					a.Seed, a.NaN = uint64(10*i+j), 0.1*float64(j%3)
					a.Array("a", ops.Type{Elem: e, Dims: d})
					if over != nil {
						a.With("over", over)
					}
					c := optest.Call(spec(t, name), a.Values)
					if _, err := c.Spec.Bind(c); err != nil {
						continue
					}
					ran++
					a.Check(t, spec(t, name))
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
	d := []ops.Dim{optest.Dim("x", 3), optest.Dim("y", 11), optest.Dim("z", 4)}
	for i, e := range []ops.ElemType{ops.Bool, i16, ops.I64, ops.F32, ops.F64} {
		for j, over := range []ops.Value{nil, ops.Symbol("x"), ops.Symbol("y"), optest.Names("x", "y"), optest.Names("y", "z"), optest.Names("z")} {
			for k, q := range []float64{-1, 0, 0.37, 0.9, 1} {
				a := optest.NewArgs()
				a.Seed, a.NaN = uint64(100*i+10*j+k), 0.02*float64(j%2)
				a.Array("a", ops.Type{Elem: e, Dims: d})
				if over != nil {
					a.With("over", over)
				}
				name := "median"
				if q >= 0 {
					name = "quantile"
					a.With("q", ops.Number{V: q})
				}
				a.Check(t, spec(t, name))
			}
		}
	}
}

// TestDot multiplies and sums in one, with dims of both that stay, in any order, and of one.
func TestDot(t *testing.T) {
	a, b := []ops.Dim{optest.Dim("x", 3), optest.Dim("k", 5), optest.Dim("t", 2), optest.Dim("l", 2)}, []ops.Dim{optest.Dim("l", 2), optest.Dim("y", 4), optest.Dim("t", 2), optest.Dim("k", 5)}
	for _, e := range []ops.ElemType{ops.Bool, i16, ops.I64, ops.F32, ops.F64, ops.C64} {
		for _, over := range []ops.Value{ops.Symbol("k"), optest.Names("k", "l"), optest.Names("t")} {
			args := optest.NewArgs().Array("a", ops.Type{Elem: e, Dims: a}).Array("b", ops.Type{Elem: e, Dims: b}).With("over", over)
			args.Check(t, spec(t, "dot"))
		}
	}
	for _, c := range []struct {
		over ops.Value
		want string
	}{{ops.Symbol("x"), "b has no dimension x"}, {ops.Symbol("q"), "no dimension q"}} {
		args := optest.NewArgs().Array("a", ops.Type{Elem: ops.F32, Dims: a}).Array("b", ops.Type{Elem: ops.F32, Dims: b}).With("over", c.over)
		call := optest.Call(spec(t, "dot"), args.Values)
		if _, err := call.Spec.Bind(call); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("over %v: %v, want %s", c.over, err, c.want)
		}
	}
}

// TestTwoStages reduces arrays that are cut into partial results, with blocks that are not all full.
func TestTwoStages(t *testing.T) {
	shapes := [][]ops.Dim{
		{optest.Dim("x", 5001)},
		{optest.Dim("x", 2), optest.Dim("y", 4099)},
		{optest.Dim("x", 19), optest.Dim("y", 17), optest.Dim("z", 23)},
		{optest.Dim("x", 4100), optest.Dim("y", 2)},
		{optest.Dim("x", 32801)},
		{optest.Dim("x", 2), optest.Dim("y", 16399)},
		{optest.Dim("x", 39), optest.Dim("y", 37), optest.Dim("z", 23)},
		{optest.Dim("x", 16400), optest.Dim("y", 2)},
	}
	for _, d := range shapes {
		many := ops.Type{Dims: d}.Len() > manyTerms
		for _, name := range []string{"sum", "mean", "norm", "min", "max", "argmin", "argmax"} {
			t.Run(fmt.Sprint(name, ops.Type{Dims: d}), func(t *testing.T) {
				a := optest.NewArgs().Array("a", ops.Type{Elem: ops.F32, Dims: d})
				a.Data["a"].Re[7] = math.NaN()
				if name == "sum" || name == "mean" || name == "norm" {
					a.Data["a"].Re[7] = 3
				}
				c := optest.Call(spec(t, name), a.Values)
				want := optest.Reference(t, c, a.Data)
				got := optest.Run(t, c, a.Data, interp.Exact, optest.Stored)
				if err := optest.Differ(got[0], want[0], c.Spec.Error); err != nil {
					t.Error(err)
				}
				if two := partialStages(t, c) > 0; two != (many || a.Data["a"].Re[7] != 3) {
					t.Errorf("done in two stages: %v", two)
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
	a := optest.NewArgs().Array("a", optest.Type(ops.F32, "", optest.Dim("x", n)))
	for i := range n {
		a.Data["a"].Re[i] = float64(float32(0.1))
	}
	c := optest.Call(spec(t, "sum"), a.Values)
	got := optest.Run(t, c, a.Data, interp.Exact, optest.Stored)[0].Re[0]
	want := n * float64(float32(0.1))
	if math.Abs(got-want) > 1e-7*want { // f32 throughout is off by 1e-4
		t.Errorf("sum is %v, want %v", got, want)
	}
}

func TestReductionDims(t *testing.T) {
	a := optest.Type(ops.C64, "Pa", optest.Line("x", 3, "mm", 0, 1), optest.Dim("y", 4))
	tests := []struct{ name, over, want string }{
		{"sum", "x", "c64 [y: 4] Pa"},
		{"norm", "y", "f32 [x: 3] Pa"},
		{"mean", "", "c64 [] Pa"},
	}
	for _, tt := range tests {
		args := optest.NewArgs().Array("a", a)
		if tt.over != "" {
			args.With("over", ops.Symbol(tt.over))
		}
		out, err := optest.Infer(spec(t, tt.name), args.Values)
		if err != nil || out[0].Type.String() != tt.want {
			t.Errorf("%s over %q: %v, %v, want %s", tt.name, tt.over, out, err, tt.want)
		}
	}
	x := optest.Type(ops.F32, "", optest.Dim("x", 3))
	optest.NewArgs().Array("a", x).With("over", ops.Symbol("q")).Fails(t, spec(t, "sum"), problem.UnknownDim, "q", "its dimensions are x")
	optest.NewArgs().Array("a", x).With("over", optest.Names("x", "x")).Fails(t, spec(t, "sum"), problem.DuplicateDim, "x")
	optest.NewArgs().Array("a", x).With("over", ops.List{ops.Number{V: 1}}).Fails(t, spec(t, "sum"), problem.NotANameList)
	optest.NewArgs().Array("a", x).With("over", ops.List{}).Fails(t, spec(t, "sum"), problem.NotANameList)
	optest.NewArgs().Array("a", a).Fails(t, spec(t, "max"), problem.WrongElementType, "complex")
	optest.NewArgs().Array("a", x).Fails(t, spec(t, "any"), problem.NotABoolean)
}

func TestSkippedNaN(t *testing.T) {
	a := optest.NewArgs().Array("a", optest.Type(ops.F32, "", optest.Dim("x", 4)))
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
		copy(a.Data["a"].Re, tt.values)
		for name, want := range tt.want {
			if got := a.Check(t, spec(t, name))[0].Re[0]; got != want {
				t.Errorf("%s of %v is %v, want %v", name, tt.values, got, want)
			}
		}
	}
}

// TestLongSumsThatCancel: partial results keep what the sum of them needs. All numbers are whole, so that float64 is exact.
func TestLongSumsThatCancel(t *testing.T) {
	const n = 20000
	for name, want := range map[string]float64{"sum": n / 2, "mean": 0.5} {
		a := optest.NewArgs().Array("a", ops.Type{Elem: ops.F32, Dims: []ops.Dim{optest.Dim("x", n)}})
		x := a.Data["a"].Re
		for i := range n / 2 {
			x[i] = float64(1000*i + 3)
			x[n/2+i] = float64(float32(-x[i])) + 1
		}
		got := optest.Run(t, optest.Call(spec(t, name), a.Values), a.Data, interp.Exact, optest.Stored)[0]
		if got.Re[0] != want {
			t.Errorf("%s is %g, want %g", name, got.Re[0], want)
		}
	}
}

// Very many elements leave partial results for many blocks of a GPU, of all elements, whatever their dims are.
func TestPartsOfVeryMany(t *testing.T) {
	for _, c := range []struct {
		sizes []int
		parts int
	}{
		{[]int{veryMany - 1}, enoughOutputs},
		{[]int{veryMany}, veryMany / manyElements},
		{[]int{manyElements, manyElements}, manyElements},
		{[]int{1 << 26}, manyElements},
		{[]int{3, 1 << 26}, manyElements},
		{[]int{1 << 22, 3}, 3 << 22 / manyElements},
	} {
		var d []ops.Dim
		var over []int
		for i, n := range c.sizes {
			d, over = append(d, optest.Dim(fmt.Sprint("d", i), n)), append(over, i)
		}
		outer, inner := splitLoops(ops.Type{Elem: ops.F32, Dims: d}, over, 1, enoughOutputs, manyTerms)
		parts := 1
		for _, o := range outer {
			parts *= o.size
		}
		for at, n := range c.sizes { // loops go over all of it
			covered := 1
			for _, l := range slices.Concat(outer, inner) {
				if l.dim == at {
					covered *= l.size
				}
			}
			if covered < n {
				t.Errorf("%v: loops over %d of %d", c.sizes, covered, n)
			}
		}
		if float64(parts) < 0.95*float64(c.parts) || float64(parts) > 1.05*float64(c.parts) {
			t.Errorf("%v: %d parts, want about %d", c.sizes, parts, c.parts)
		}
	}
}
