package audit

import (
	"math"
	"testing"

	"weft/ops"
)

func TestInMetric(t *testing.T) {
	for _, c := range []struct {
		metric          ops.Metric
		abs, want, peak float64
		result          float64
	}{
		{ops.Absolute, 0.5, 2, 10, 0.5},
		{ops.Relative, 0.5, -2, 10, 0.25},
		{ops.Relative, 0.5, 0, 10, 0.5}, // nothing to be relative to
		{ops.Peak, 0.5, 2, 10, 0.05},
		{ops.Peak, 0.5, 2, 0, 0.5},
		{ops.Exact, 1, 2, 10, 1},
	} {
		if got, _ := inMetric(c.metric, c.abs, complex(c.want+c.abs, 0), complex(c.want, 0), c.peak); got != c.result {
			t.Errorf("%s of %g at %g, peak %g: %g, want %g", c.metric, c.abs, c.want, c.peak, got, c.result)
		}
	}
}

func TestPeakOf(t *testing.T) {
	d := ops.NewDense(true, 3, 4)
	d.Set(7, complex(-3, 4))
	d.Set(8, complex(math.Inf(1), 0))
	d.Set(9, complex(0, math.NaN()))
	for _, elem := range []ops.ElemType{ops.C64, ops.C128} {
		h := ops.NewHostArray(ops.Type{Elem: elem, Dims: []ops.Dim{{Name: "y", Size: 3}, {Name: "x", Size: 4}}})
		if err := h.SetDense(d); err != nil {
			t.Fatal(err)
		}
		for _, threads := range []int{1, 2, 8} {
			if got := Peak(h, h.Type.Whole(), threads); got != 5 {
				t.Errorf("%s, %d threads: peak %g, want 5", elem, threads, got)
			}
		}
	}
}
