package audit

import (
	"math"
	"slices"
	"testing"

	"weft/kernels/ir"
	"weft/ops"
	"weft/planner/bound"
	"weft/planner/plan"
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

// An element of an array in pairs is both of its parts.
func TestPairs(t *testing.T) {
	whole := ops.Type{Elem: ops.C64, Dims: []ops.Dim{{Name: "y", Size: 2}, {Name: "x", Size: 3}}}
	lies := ops.Type{Elem: ops.F32, Dims: append(whole.Dims[:2:2], ops.Dim{Name: "re_im", Size: 2})}
	h := ops.NewHostArray(lies)
	if err := h.SetDense(ops.Dense{Shape: lies.Shape(), Re: []float64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}}); err != nil {
		t.Fatal(err)
	}
	a := Array{&bound.Buffer{Array: &ops.Stage{Type: whole}, Layout: lies, Buffer: plan.Buffer{Interleaved: true}}, h}
	got := a.Values(a.Elements([][]int{{0, 2}, {1, 1}}))
	if want := []complex128{complex(4, 5), complex(8, 9)}; !slices.Equal(got, want) {
		t.Errorf("elements %v, want %v", got, want)
	}
	if p := a.Peak(1); p != 11 {
		t.Errorf("peak %g", p)
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

// Elements behind one that no other exceeds are not looked at; behind others they are.
func TestPeakOfTypesThatEnd(t *testing.T) {
	const far = 10_000
	for _, c := range []struct {
		elem        ir.DType
		first, last float64
		want        float64
	}{
		{ir.Bool, 0, 1, 1}, {ir.Bool, 1, 0, 1}, {ir.U8, 255, 7, 255}, {ir.U8, 254, 255, 255}, {ir.U8, 7, 9, 9}, {ir.I8, -128, 3, 128}, {ir.I8, 127, -128, 128},
		{ir.U16, 255, 300, 300}, {ir.I32, 255, math.MinInt32, -math.MinInt32}, {ir.F32, 255, -256, 256},
	} {
		h := ops.NewHostArray(ops.Type{Elem: ops.ElemType{Base: c.elem}, Dims: []ops.Dim{{Name: "x", Size: far}}})
		d := ops.NewDense(false, far)
		d.Set(0, complex(c.first, 0))
		d.Set(far-1, complex(c.last, 0))
		if err := h.SetDense(d); err != nil {
			t.Fatal(err)
		}
		for _, threads := range []int{1, 3} {
			if got := Peak(h, h.Type.Whole(), threads); got != c.want {
				t.Errorf("%s of %g and %g on %d threads: peak %g", c.elem, c.first, c.last, threads, got)
			}
		}
	}
}
