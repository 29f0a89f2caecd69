package audit

import (
	"math"
	"testing"

	"weft/ops"
)

func TestMeanOfDifferences(t *testing.T) {
	nan := complex(math.NaN(), 0)
	got, want := []complex128{1, 2, nan, 4, nan}, []complex128{1.5, 2, nan, 5, 7}
	f := Compare(ops.Absolute, got, want, 5)
	if f.MeanAbs != 0.5 || f.MaxAbs != 1 || f.Mismatched != 1 {
		t.Errorf("%+v", f)
	}
}

func TestInfinitiesAndNaNAreToldApart(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	values := []complex128{1, complex(inf, 0), complex(-inf, 0), complex(nan, 0), complex(inf, inf), complex(0, -inf)}
	for i, a := range values {
		for j, b := range values {
			f := Compare(ops.Absolute, []complex128{a}, []complex128{b}, 1)
			if differ := f.Mismatched > 0; differ != (i != j) {
				t.Errorf("%v and %v: %+v", a, b, f)
			}
		}
	}
}

// A level is judged by its 99th percentile, but a few elements that are plainly wrong do not hide in the last hundredth.
func TestLevelsDoNotHideWrongElements(t *testing.T) {
	rule := ops.ErrorRule{Metric: ops.Level, Tolerance: 0.1}
	values := func(change func(i int, v float64) float64) (got, want []complex128) {
		for i := range 1000 {
			v := 1 / float64(1+i%500)
			want = append(want, complex(v, 0))
			got = append(got, complex(change(i, v), 0))
		}
		return got, want
	}
	for _, c := range []struct {
		name   string
		change func(i int, v float64) float64
		ok     bool
	}{
		{"nothing", func(_ int, v float64) float64 { return v }, true},
		{"all by 0.05 dB", func(_ int, v float64) float64 { return v * ratioOf(0.05) }, true},
		{"all by 0.2 dB", func(_ int, v float64) float64 { return v * ratioOf(0.2) }, false},
		{"half a per cent of them, quiet ones, by 3 dB", func(i int, v float64) float64 {
			if i%500 > 497 {
				return v * ratioOf(3)
			}
			return v
		}, true},
		{"half a per cent of them, by a tenth of the peak", func(i int, v float64) float64 {
			if i%500 > 497 {
				return v + 0.1
			}
			return v
		}, false},
	} {
		got, want := values(c.change)
		if f := Compare(rule.Metric, got, want, 1); f.Within(rule) != c.ok {
			t.Errorf("%s: %+v", c.name, f)
		}
	}
}
