package files

import (
	"path/filepath"
	"slices"
	"testing"

	"weft/kernels/ir"
	"weft/ops"
	"weft/ops/optest"
	"weft/ops/problem"
)

// kept writes a line of numbers to a file and reads it.
func kept(t *testing.T, path string, e ops.ElemType, values ...float64) *reading {
	t.Helper()
	h := ops.NewHostArray(ops.Type{Elem: e, Dims: []ops.Dim{optest.Dim("row", len(values))}})
	if err := h.SetDense(ops.Dense{Shape: []int{len(values)}, Re: values}); err != nil {
		t.Fatal(err)
	}
	write := optest.Bind(t, &ops.Call{Spec: writeSpec(), Args: map[string]ops.Value{"array": optest.Array(h.Type), "path": ops.Text(path)}})
	if _, err := write.(ops.Sink).Take(t.Context(), []ops.HostArray{h}, nil); err != nil {
		t.Fatal(err)
	}
	return optest.Bind(t, &ops.Call{Spec: readSpec(), Args: map[string]ops.Value{"path": ops.Text(path)}}).(*reading)
}

// Starts of rows are looked up before the run, which gives no others; what falls, or is no line of whole numbers, has none.
func TestStarts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "starts.npy")
	keep := func(e ops.ElemType, values ...float64) *reading { return kept(t, path, e, values...) }
	if got := keep(ops.I32, 0, 2, 1).Starts(0); got != nil {
		t.Errorf("starts that fall: %v", got)
	}
	if got := keep(ops.F32, 0, 1, 2).Starts(0); got != nil {
		t.Errorf("starts in floats: %v", got)
	}
	r := keep(ops.I64, 0, 2, 2, 7)
	if got := r.Starts(0); !slices.Equal(got, []int{0, 2, 2, 7}) {
		t.Fatal(got)
	}
	h := ops.NewHostArray(r.Gives[0].Type)
	if _, err := r.Fill(t.Context(), h); err != nil {
		t.Error(err)
	}
	keep(ops.I64, 0, 2, 5, 7)
	_, err := r.Fill(t.Context(), h)
	wantProblem(t, err, problem.InputChanged, "path", []string{"element 2", "from 2"})
}

// Where whole numbers lie is known once it was looked up, and a run gives no others.
func TestWithin(t *testing.T) {
	path := filepath.Join(t.TempDir(), "places.npy")
	for _, base := range []ir.DType{ir.I8, ir.U8, ir.I16, ir.U16, ir.I32, ir.I64} {
		e := ops.ElemType{Base: base}
		r := kept(t, path, e, 5, 2, 9, 3, 7)
		if _, _, ok := r.Within(0); ok {
			t.Errorf("%s: known before anybody asked", e)
		}
		if _, _, err := r.Range(0); err != nil {
			t.Fatal(err)
		}
		if lo, hi, ok := r.Within(0); !ok || lo != 2 || hi != 9 {
			t.Errorf("%s: %g to %g, %t", e, lo, hi, ok)
		}
		h := ops.NewHostArray(r.Gives[0].Type)
		if _, err := r.Fill(t.Context(), h); err != nil {
			t.Error(err)
		}
		kept(t, path, e, 5, 2, 8, 3, 10)
		_, err := r.Fill(t.Context(), h)
		wantProblem(t, err, problem.InputChanged, "path", []string{"from 2 to 10", "from 2 to 9"})
		kept(t, path, e, 5, 1, 8, 3, 9)
		_, err = r.Fill(t.Context(), h)
		wantProblem(t, err, problem.InputChanged, "path", []string{"from 1 to 9"})
	}
	r := kept(t, path, ops.F32, 5, 2, 9)
	if _, _, err := r.Range(0); err != nil {
		t.Fatal(err)
	}
	if _, _, ok := r.Within(0); ok {
		t.Error("floats are said to lie somewhere")
	}
}
