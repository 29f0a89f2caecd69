package optest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"weft/kernels/interp"
	"weft/kernels/ir"
	"weft/ops"
)

// Check runs a call fused and stage by stage, in f32 and in float64, and compares each with its reference: in float64 to
// 1e-9, in f32 by the operator's error rule.
func Check(t testing.TB, c *ops.Call, in map[string]ops.Dense) []ops.Dense {
	t.Helper()
	want := Reference(t, c, in)
	for _, how := range []Fusion{Fused, Stored} {
		for mode, rule := range map[interp.Mode]ops.ErrorRule{
			interp.Exact: c.Spec.Error,
			interp.Wide:  {Metric: ops.Peak, Tolerance: 1e-9},
		} {
			got := Run(t, c, in, mode, how)
			if len(got) != len(want) {
				t.Fatalf("%s: %d outputs, reference gives %d", c.Spec.Name, len(got), len(want))
			}
			for i := range got {
				if err := Differ(got[i], want[i], rule); err != nil {
					t.Errorf("%s (%v, fused %v), output %d: %v", c.Spec.Name, mode, how, i, err)
				}
			}
		}
	}
	return want
}

// Reference is what the call's operator gives by its own definition.
func Reference(t testing.TB, c *ops.Call, in map[string]ops.Dense) []ops.Dense {
	t.Helper()
	want, err := Bind(t, c).(ops.Referencer).Reference(in)
	if err != nil {
		t.Fatalf("%s: reference: %v", c.Spec.Name, err)
	}
	return want
}

// Differ says how an array breaks an error rule. NaN and infinities must be the same in both.
func Differ(got, want ops.Dense, rule ops.ErrorRule) error {
	if fmt.Sprint(got.Shape) != fmt.Sprint(want.Shape) {
		return fmt.Errorf("shape %v, want %v", got.Shape, want.Shape)
	}
	peak := 0.0
	for i := range want.Re {
		for _, v := range []float64{math.Abs(want.Re[i]), math.Abs(imag(want.At(i)))} {
			if v > peak && !math.IsInf(v, 0) {
				peak = v
			}
		}
	}
	for i := range want.Re {
		if !within(real(got.At(i)), real(want.At(i)), peak, rule) || !within(imag(got.At(i)), imag(want.At(i)), peak, rule) {
			return fmt.Errorf("element %d is %v, want %v (%s %g, peak %g)", i, got.At(i), want.At(i), rule.Metric, rule.Tolerance, peak)
		}
	}
	return nil
}

func within(got, want, peak float64, rule ops.ErrorRule) bool {
	switch {
	case math.IsNaN(want):
		return math.IsNaN(got)
	case math.IsInf(want, 0) || rule.Metric == ops.Exact:
		return got == want
	}
	limit := rule.Tolerance
	if rule.Metric == ops.Angle {
		return math.Abs(math.Remainder(got-want, 2*math.Pi)) <= limit
	}
	switch rule.Metric {
	case ops.Peak:
		limit *= peak
	case ops.Relative:
		limit *= math.Abs(want)
	}
	return math.Abs(got-want) <= limit
}

// Random makes values that the type can hold: normal numbers, or whole numbers from -9 to 9, or truth values. A share of
// the floats is NaN.
func Random(t ops.Type, seed uint64, nan float64) ops.Dense {
	rnd := rand.New(rand.NewPCG(seed, 1))
	d := ops.NewDense(t.Elem.Complex, t.Shape()...)
	draw := func() float64 {
		switch {
		case t.Elem.Base == ir.Bool:
			return float64(rnd.IntN(2))
		case t.Elem.Base.Int():
			return float64(rnd.IntN(19) - 9)
		case rnd.Float64() < nan:
			return math.NaN()
		}
		return float64(float32(rnd.NormFloat64()))
	}
	for i := range d.Re {
		d.Re[i] = draw()
		if d.Im != nil {
			d.Im[i] = draw()
		}
	}
	return d
}

// Dims makes dims without coordinates: Dims("x", 3, "y", 4).
func Dims(namesAndSizes ...any) []ops.Dim {
	var out []ops.Dim
	for i := 0; i < len(namesAndSizes); i += 2 {
		out = append(out, ops.Dim{Name: namesAndSizes[i].(string), Size: namesAndSizes[i+1].(int)})
	}
	return out
}
