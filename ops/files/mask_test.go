package files

import (
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"weft/ops"
	"weft/ops/files/element"
	"weft/ops/files/tiff"
	"weft/ops/optest"
	"weft/ops/problem"
)

// A mask, a nodata value, a scale and an offset, all in one file of whole numbers.
func TestMaskedAndScaledRasters(t *testing.T) {
	if _, err := exec.LookPath("gdal_translate"); err != nil {
		t.Skip("gdal_translate is not installed (Debian: gdal-bin)")
	}
	folder := t.TempDir()
	in, out := filepath.Join(folder, "in.tif"), filepath.Join(folder, "out.tif")
	header := utm(t, 40, 30)
	header.DType = element.Uint8
	values := make([]uint8, 40*30)
	for i := range values {
		values[i] = uint8(i % 11)
	}
	if err := tiff.Save(in, header, values); err != nil {
		t.Fatal(err)
	}
	args := []string{"-q", "--config", "GDAL_TIFF_INTERNAL_MASK", "YES", "-b", "1", "-mask", "1", "-ot", "Int16", "-a_scale", "0.5", "-a_offset", "100", in, out}
	if text, err := exec.Command("gdal_translate", args...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	h := readWhole(t, map[string]ops.Value{"path": ops.Text(out)})
	if h.Type.Elem != ops.F32 {
		t.Fatalf("read as %s", h.Type)
	}
	for i, v := range values {
		want := 100 + 0.5*float64(v)
		if v == 0 {
			want = math.NaN()
		}
		if got := h.Float(i); got != want && (got == got || want == want) {
			t.Fatalf("element %d is %g, want %g", i, got, want)
		}
	}
	if low, high, err := optest.Bind(t, &ops.Call{Spec: readSpec(), Args: map[string]ops.Value{"path": ops.Text(out)}}).(*reading).Range(0); err != nil || low != 100.5 || high != 105 {
		t.Errorf("range %g to %g, %v", low, high, err)
	}
}

// Nothing is written where a mask that lies about from before would hide it.
func TestMasksLeftBehind(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.tif")
	if err := os.WriteFile(tiff.MaskBeside(path), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	c := &ops.Call{Spec: writeSpec(), Args: args{"path": ops.Text(path), "array": optest.Array(ops.Type{Elem: ops.F32, Dims: optest.Dims("y", 3, "x", 4)})}}
	_, err := writeSpec().Bind(c)
	wantProblem(t, err, problem.Unwritable, "path", []string{"a.tif.msk"})
}
