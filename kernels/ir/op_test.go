package ir

import (
	"math"
	"testing"
)

func TestRowsOfTheTableLackNothing(t *testing.T) {
	for what, forget := range map[string]func(i *OpInfo){
		"": func(*OpInfo) {}, "name": func(i *OpInfo) { i.Name = "" }, "range": func(i *OpInfo) { i.Range = nil },
		"cost class": func(i *OpInfo) { i.Cost = 0 }, "evaluation of floats": func(i *OpInfo) { i.Float = nil },
		"name in the library": func(i *OpInfo) { i.Library = "" }, "exactness": func(i *OpInfo) { i.Exact = 0 },
	} {
		row := *Exp.Info()
		forget(&row)
		if got := row.incomplete(); got != what {
			t.Errorf("%q is missing, found %q", what, got)
		}
	}
}

// TestSubnormals: logarithms and powers of numbers below the normal range.
func TestSubnormals(t *testing.T) {
	for _, e := range []int{-1023, -1050, -1074} {
		x := math.Ldexp(1, e)
		for _, c := range []struct {
			op   Op
			y    float64
			want float64
		}{
			{Log, 0, float64(e) * math.Ln2}, {Log10, 0, float64(e) * math.Log10(2)},
			{Pow, 0.5, math.Exp2(float64(e) / 2)}, {Pow, -0.25, math.Exp2(float64(e) / -4)}, {Pow, 1, x}, {Pow, 2, 0}, {Pow, -2, math.Inf(1)}, {Pow, 0, 1},
		} {
			got := c.op.Info().Float([3]float64{x, c.y})
			if math.Abs(got-c.want) > 1e-13*math.Abs(c.want) || math.IsInf(got, 1) != math.IsInf(c.want, 1) {
				t.Errorf("%s(2^%d, %g) is %g, want %g", c.op, e, c.y, got, c.want)
			}
		}
	}
}
