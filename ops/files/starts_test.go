package files

import (
	"path/filepath"
	"slices"
	"testing"

	"weft/ops"
	"weft/ops/optest"
	"weft/ops/problem"
)

// Starts of rows are looked up before the run, which gives no others; what falls, or is no line of whole numbers, has none.
func TestStarts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "starts.npy")
	keep := func(e ops.ElemType, values ...float64) *reading {
		t.Helper()
		dims := []ops.Dim{optest.Dim("row", len(values))}
		h := ops.NewHostArray(ops.Type{Elem: e, Dims: dims})
		if err := h.SetDense(ops.Dense{Shape: []int{len(values)}, Re: values}); err != nil {
			t.Fatal(err)
		}
		write := optest.Bind(t, &ops.Call{Spec: writeSpec(), Args: map[string]ops.Value{"array": optest.Array(h.Type), "path": ops.Text(path)}})
		if _, err := write.(ops.Sink).Take(t.Context(), []ops.HostArray{h}, nil); err != nil {
			t.Fatal(err)
		}
		return optest.Bind(t, &ops.Call{Spec: readSpec(), Args: map[string]ops.Value{"path": ops.Text(path)}}).(*reading)
	}
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
