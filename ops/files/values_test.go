package files

import (
	"math"
	"path/filepath"
	"testing"

	"weft/kernels/ir"
	"weft/ops"
	"weft/ops/optest"
	"weft/ops/problem"
)

// Numbers narrower than the SI unit they are read in would lose digits or range within their own type.
func TestHalvesInUnits(t *testing.T) {
	typ := ops.Type{Elem: ops.ElemType{Base: ir.F16}, Dims: optest.Dims("x", 3)}
	h := ops.NewHostArray(typ)
	h.Parts[0].StoreRow(0, []float64{0.5, 100, -65504})
	path := written(t, "h.npy", h, nil)
	for unit, si := range map[string]float64{"us": 1e-6, "nm": 1e-9, "MHz": 1e6} {
		got, _ := readBack(t, map[string]ops.Value{"path": ops.Text(path), "unit": ops.Symbol(unit)})
		for i, want := range []float64{0.5 * si, 100 * si, -65504 * si} {
			if v := got.Float(i); got.Type.Elem != ops.F32 || math.Abs(v-want) > 1e-7*math.Abs(want) {
				t.Errorf("in %s: %g as %s, want %g as f32", unit, v, got.Type.Elem, want)
			}
		}
	}
	if got, _ := readBack(t, map[string]ops.Value{"path": ops.Text(path), "unit": ops.Symbol("m")}); got.Type.Elem != typ.Elem {
		t.Errorf("in m they are read as %s", got.Type.Elem)
	}
	_, err := bindRead(bind(readSpec(), map[string]ops.Value{"path": ops.Text(path), "unit": ops.Symbol("us"), "as": ops.Symbol("f16")}))
	wantProblem(t, err, problem.WrongElementType, "as", []string{"f16", "f32"})
}

func TestNegativeZeroKeepsItsSign(t *testing.T) {
	h := ops.NewHostArray(ops.Type{Elem: ops.F64, Dims: optest.Dims("x", 1)})
	h.Parts[0].StoreRow(0, []float64{math.Copysign(0, -1)})
	got, _ := readBack(t, map[string]ops.Value{"path": ops.Text(written(t, "z.npy", h, nil)), "unit": ops.Symbol("mm")})
	if !math.Signbit(got.Float(0)) {
		t.Error("-0 mm is read as 0")
	}
}

func TestFloatsThatDoNotFit(t *testing.T) {
	for _, c := range []struct {
		as   string
		v    float64
		fits bool
	}{
		{"f16", 65504, true}, {"f16", 65519.9, true}, {"f16", 65520, false}, {"f16", -1e6, false}, {"f16", math.Inf(1), true}, {"f16", math.NaN(), true},
		{"f32", 3.4028235e38, true}, {"f32", 1e39, false}, {"c64", 1e39, false},
	} {
		h := ops.NewHostArray(ops.Type{Elem: ops.F64, Dims: optest.Dims("x", 3)})
		h.Parts[0].StoreRow(0, []float64{0, c.v, 0})
		call := bind(writeSpec(), map[string]ops.Value{"array": optest.Array(h.Type), "path": ops.Text(filepath.Join(t.TempDir(), "a.npy")), "as": ops.Symbol(c.as)})
		_, err := optest.Bind(t, call).(*writing).Take(t.Context(), []ops.HostArray{h}, nil)
		if c.fits && err != nil {
			t.Errorf("%g as %s: %v", c.v, c.as, err)
		} else if !c.fits {
			wantProblem(t, err, problem.CannotStore, "as", []string{"[x: 1]", c.as})
		}
	}
}

// Files of other programs are not read for being given another name: the help is a command that converts them.
func TestForeignFilesAreToldHowToConvert(t *testing.T) {
	for path, want := range map[string]string{
		"a.asc":    "gdal_translate a.asc a.tif",
		"it's.hgt": "gdal_translate file.hgt file.tif",
		"a.doc":    "end it in .npy",
	} {
		_, err := bindRead(bind(readSpec(), map[string]ops.Value{"path": ops.Text(path)}))
		wantProblem(t, err, problem.UnknownFormat, "path", []string{want})
	}
	_, err := bindWrite(bind(writeSpec(), map[string]ops.Value{"path": ops.Text("a.mat"), "array": optest.Array(ops.Type{Elem: ops.F32})}))
	wantProblem(t, err, problem.UnknownFormat, "path", []string{"end it in .npy"})
}
