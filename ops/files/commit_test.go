package files

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"weft/ops"
	"weft/ops/optest"
)

// What was written by rows is not lost where the file cannot have its name: a later run only gives it that.
func TestRowsStayWhereTheFileCannotHaveItsName(t *testing.T) {
	const rows = 300
	h := ops.NewHostArray(ops.Type{Elem: ops.F32, Dims: optest.Dims("y", rows, "x", 40)})
	for r := range rows {
		h.Parts[0].StoreRow(r, slices.Repeat([]float64{float64(r)}, 40))
	}
	for _, name := range []string{"a.npy", "a.tif", "a.zarr"} {
		folder := t.TempDir()
		path := filepath.Join(folder, name)
		call := &ops.Call{Spec: writeSpec(), Args: args{"path": ops.Text(path), "array": optest.Array(h.Type)}}
		s, err := optest.Bind(t, call).(*writing).OpenSink(nil)
		if err != nil {
			t.Fatal(err)
		}
		marks := sendRows(t, s, h, 0, rows, 100)
		inTheWay := filepath.Join(path, "other")
		if err := os.MkdirAll(filepath.Dir(inTheWay), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(inTheWay, []byte("kept"), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Commit(t.Context()); err == nil {
			t.Fatalf("%s: replaces a folder of other things", name)
		}
		if err := s.Suspend(); err != nil {
			t.Fatal(err)
		}
		if text, err := os.ReadFile(inTheWay); err != nil || string(text) != "kept" {
			t.Fatalf("%s: %q is in the way, %v", name, text, err)
		}
		if err := os.RemoveAll(path); err != nil {
			t.Fatal(err)
		}
		if s, err = optest.Bind(t, call).(*writing).OpenSink(marks); err != nil {
			t.Fatal(err)
		}
		sendRows(t, s, h, marks[len(marks)-1].There[0].Hi, rows, rows) // a part that fills no block is not there yet
		if _, err := s.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
		if left, _ := os.ReadDir(folder); len(left) != 1 || left[0].Name() != name {
			t.Errorf("left over: %v", left)
		}
	}
}
