package files

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/ops"
	"weft/ops/files/element"
	"weft/ops/files/tiff"
	"weft/ops/optest"
	"weft/ops/problem"
)

type args = map[string]ops.Value

// utm is a raster of 2 m pixels in a projection.
func utm(t *testing.T, height, width int) tiff.Header {
	t.Helper()
	geo, err := tiff.NewGeo(tiff.Affine{500000, 2, 0, 5900000, 0, -2}, tiff.CRS{Model: tiff.Projected, EPSG: 25832, Unit: tiff.Unit{Code: 9001, Metres: 1}, Citation: "ETRS89 / UTM 32N"})
	if err != nil {
		t.Fatal(err)
	}
	return tiff.Header{DType: element.Float32, Height: height, Width: width, Geo: geo}
}

func ramp32(n int) []float32 {
	v := make([]float32, n)
	for i := range v {
		v[i] = float32(i%251) / 3
	}
	return v
}

// inferred is what read says of a call, and its warnings.
func inferred(t *testing.T, a args) (ops.Type, string) {
	t.Helper()
	out, err := readSpec().Bind(&ops.Call{Spec: readSpec(), Args: a})
	if out == nil {
		t.Fatal(err)
	}
	var p problem.Problem
	if err != nil && (!errors.As(err, &p) || !p.Warning) {
		t.Fatal(err)
	}
	text := ""
	if err != nil {
		text = err.Error()
	}
	return out.Outputs()[0].Type, text
}

func readWhole(t *testing.T, a args) ops.HostArray {
	t.Helper()
	typ, _ := inferred(t, a)
	h := ops.NewHostArray(typ)
	if _, err := optest.Bind(t, &ops.Call{Spec: readSpec(), Args: a}).(*reading).Fill(t.Context(), h); err != nil {
		t.Fatal(err)
	}
	return h
}

func writeWhole(t *testing.T, ctx context.Context, h ops.HostArray, a args) {
	t.Helper()
	a["array"] = optest.Array(h.Type)
	c := &ops.Call{Spec: writeSpec(), Args: a}
	if _, err := writeSpec().Bind(c); err != nil {
		t.Fatal(err)
	}
	if _, err := optest.Bind(t, c).(*writing).Take(ctx, []ops.HostArray{h}, nil); err != nil {
		t.Fatal(err)
	}
}

func TestRastersKeepTheirPlace(t *testing.T) {
	folder := t.TempDir()
	in, out := filepath.Join(folder, "in.tif"), filepath.Join(folder, "out.tif")
	header := utm(t, 70, 90)
	if err := tiff.Save(in, header, ramp32(70*90)); err != nil {
		t.Fatal(err)
	}
	h := readWhole(t, args{"path": ops.Text(in)})
	y, x := h.Type.Dims[0], h.Type.Dims[1]
	if y.Name != "y" || x.Name != "x" || y.Coords[0] != 5900000-1 || y.Coords[69] != 5900000-139 || x.Coords[0] != 500001 || x.Unit.String() != "m" {
		t.Fatalf("%+v, %+v", y, x)
	}
	if y.Frame.String() != "northings of EPSG:25832" || x.Frame.Same(y.Frame) {
		t.Errorf("frame %s", y.Frame)
	}
	p := &ops.Provenance{Weft: "9", Plan: "abc", Devices: []string{"cpu"}}
	writeWhole(t, ops.WithProvenance(t.Context(), p), h, args{"path": ops.Text(out)})
	got, err := tiff.Stat(out)
	if err != nil {
		t.Fatal(err)
	}
	if !sameGeo(got.Geo, header.Geo) {
		t.Errorf("%+v is not %+v", got.Geo, header.Geo)
	}
	if back, err := ReadProvenance(out); err != nil || back.Plan != "abc" || got.Software != "weft 9" {
		t.Errorf("provenance %+v, %v, software %q", back, err, got.Software)
	}
	part := h.Sub(h.Type.Rows(region.Interval{Lo: 10, Hi: 30}))
	writeWhole(t, t.Context(), part, args{"path": ops.Text(out)})
	if got, err = tiff.Stat(out); err != nil || got.Geo.Affine != header.Geo.Cropped(10, 0).Affine || !got.Geo.SameCRS(header.Geo) {
		t.Errorf("cut out: %+v, %v", got.Geo, err)
	}
	every := h.Type
	every.Dims = slices.Clone(every.Dims)
	for i, n := range []int{35, 45} {
		d := &every.Dims[i]
		coords := make([]float64, n)
		for k := range coords {
			coords[k] = d.Coords[2*k]
		}
		d.Size, d.Coords = n, coords
	}
	writeWhole(t, t.Context(), ops.NewHostArray(every), args{"path": ops.Text(out)})
	if got, err = tiff.Stat(out); err != nil || got.Geo.Affine != (tiff.Affine{499999, 4, 0, 5900001, 0, -4}) || got.Geo.CRS.EPSG != 25832 {
		t.Errorf("every other pixel: %+v, %v", got.Geo, err)
	}
}

func sameGeo(a, b tiff.Geo) bool {
	return a.Affine == b.Affine && a.SameCRS(b) && a.CRS == b.CRS && a.PixelIsPoint == b.PixelIsPoint
}

func TestReadingRasters(t *testing.T) {
	folder := t.TempDir()
	nodata := -9999.0
	geo := utm(t, 2, 2).Geo
	noCRS, err := tiff.NewGeo(tiff.Affine{0, 1, 0, 0, 0, -1}, tiff.CRS{})
	if err != nil {
		t.Fatal(err)
	}
	rotated, err := tiff.NewGeo(tiff.Affine{0, 1, 0.1, 0, 0.1, -1}, geo.CRS)
	if err != nil {
		t.Fatal(err)
	}
	degrees, err := tiff.NewGeo(tiff.Affine{10, 0.5, 0, 50, 0, -0.5}, tiff.CRS{Model: tiff.Geographic, EPSG: 4326})
	if err != nil {
		t.Fatal(err)
	}
	cases := []struct {
		name    string
		header  tiff.Header
		args    args
		elem    ops.ElemType
		values  []float64
		y       []float64
		warning string
	}{
		{"whole numbers with gaps become floats", tiff.Header{DType: element.Int16, Geo: geo, Nodata: &nodata}, nil, ops.F32, []float64{1, 2, math.NaN(), 4}, []float64{5899999, 5899997}, ""},
		{"whole numbers as they are", tiff.Header{DType: element.Int16, Geo: geo}, nil, ops.ElemType{Base: ir.I16}, []float64{1, 2, -9999, 4}, []float64{5899999, 5899997}, ""},
		{"as asked", tiff.Header{DType: element.Int16, Geo: geo}, args{"as": ops.Symbol("f64")}, ops.F64, []float64{1, 2, -9999, 4}, nil, ""},
		{"scaled", tiff.Header{DType: element.Int16, Geo: geo, Scale: 0.5, Offset: 10}, nil, ops.F32, []float64{10.5, 11, -4989.5, 12}, nil, ""},
		{"in centimetres", tiff.Header{DType: element.Float32, Geo: geo, Nodata: &nodata}, args{"unit": ops.Symbol("cm")}, ops.F32, []float64{0.01, 0.02, math.NaN(), 0.04}, nil, ""},
		{"without a system", tiff.Header{DType: element.Float32, Geo: noCRS}, nil, ops.F32, nil, []float64{-0.5, -1.5}, "names no coordinate reference system"},
		{"without a place", tiff.Header{DType: element.Float32}, nil, ops.F32, nil, nil, "says neither where"},
		{"without a place, but with a pixel", tiff.Header{DType: element.Float32, Geo: tiff.Geo{}}, args{"pixel": ops.Quantity(3, "m")}, ops.F32, nil, []float64{4.5, 1.5}, "names no coordinate"},
		{"in degrees", tiff.Header{DType: element.Float32, Geo: degrees}, nil, ops.F32, nil, []float64{49.75 * math.Pi / 180, 49.25 * math.Pi / 180}, ""},
		{"other names", tiff.Header{DType: element.Float32, Geo: geo}, args{"dims": ops.List{ops.Symbol("row"), ops.Symbol("column")}}, ops.F32, nil, nil, ""},
	}
	for i, c := range cases {
		c.header.Height, c.header.Width = 2, 2
		path := filepath.Join(folder, string(rune('a'+i))+".TIF")
		if err := tiff.Save(path, c.header, []int16{1, 2, -9999, 4}); err != nil {
			t.Fatal(err)
		}
		a := args{"path": ops.Text(path)}
		for k, v := range c.args {
			a[k] = v
		}
		typ, warning := inferred(t, a)
		if typ.Elem != c.elem || c.warning != "" != (warning != "") || !strings.Contains(warning, c.warning) {
			t.Errorf("%s: %s, warning %q", c.name, typ, warning)
		}
		h := readWhole(t, a)
		for k, want := range c.values {
			if got := h.Float(k); math.Abs(got-want) > 1e-6*math.Abs(want) || math.IsNaN(got) != math.IsNaN(want) {
				t.Errorf("%s: element %d is %g, want %g", c.name, k, got, want)
			}
		}
		for k, want := range c.y {
			if got := typ.Dims[0].Coords[k]; math.Abs(got-want) > 1e-12*math.Abs(want) {
				t.Errorf("%s: row %d lies at %.17g, want %.17g", c.name, k, got, want)
			}
		}
	}
	bad := filepath.Join(folder, "rotated.tif")
	if err := tiff.Save(bad, tiff.Header{DType: element.Float32, Height: 2, Width: 2, Geo: rotated}, []int16{1, 2, 3, 4}); err != nil {
		t.Fatal(err)
	}
	_, err = readSpec().Bind(&ops.Call{Spec: readSpec(), Args: args{"path": ops.Text(bad)}})
	wantProblem(t, err, problem.RotatedRaster, "path", []string{"rotated", "gdalwarp"})
	_, err = readSpec().Bind(&ops.Call{Spec: readSpec(), Args: args{"path": ops.Text(filepath.Join(folder, "a.TIF")), "pixel": ops.Quantity(3, "m")}})
	wantProblem(t, err, problem.ContradictArguments, "pixel", []string{"2 x 2 m"})
	if err := os.WriteFile(bad, []byte("II*\x00\xff\xff\xff\xff"), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := readSpec().Bind(&ops.Call{Spec: readSpec(), Args: args{"path": ops.Text(bad)}}); out != nil || err == nil {
		t.Error("a damaged file is read")
	}
}

func TestRastersOfTheNameOnly(t *testing.T) {
	plane := ops.Type{Elem: ops.F32, Dims: optest.Dims("y", 3, "x", 4)}
	for _, c := range []struct {
		t    ops.Type
		as   string
		code string
		arg  string
	}{
		{ops.Type{Elem: ops.C64, Dims: plane.Dims}, "", problem.CannotStore, "array"},
		{ops.Type{Elem: ops.F32, Dims: plane.Dims[:1]}, "", problem.CannotStore, "array"},
		{plane, "u8", problem.CannotStore, "as"},
	} {
		a := args{"array": optest.Array(c.t), "path": ops.Text(filepath.Join(t.TempDir(), "a.tif"))}
		if c.as != "" {
			a["as"] = ops.Symbol(c.as)
		}
		_, err := writeSpec().Bind(&ops.Call{Spec: writeSpec(), Args: a})
		wantProblem(t, err, c.code, c.arg, nil)
	}
}

func TestRangesOfFiles(t *testing.T) {
	folder := t.TempDir()
	values := ramp32(700 * 300)
	values[100000], values[5], values[6] = 99, float32(math.NaN()), float32(math.Inf(1))
	values[200000] = -7
	path := filepath.Join(folder, "a.tif")
	if err := tiff.Save(path, utm(t, 700, 300), values); err != nil {
		t.Fatal(err)
	}
	for range 2 { // scanned, then remembered
		lo, hi, err := optest.Bind(t, &ops.Call{Spec: readSpec(), Args: args{"path": ops.Text(path), "unit": ops.Symbol("mm")}}).(*reading).Range(0)
		if err != nil || math.Abs(lo+0.007) > 1e-9 || math.Abs(hi-0.099) > 1e-8 {
			t.Errorf("%g to %g, %v", lo, hi, err)
		}
	}
	values[100000] = 200
	if err := tiff.Save(path, utm(t, 700, 300), values); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, time.Unix(1e9, 0), time.Unix(1e9, 0)); err != nil {
		t.Fatal(err)
	}
	if _, hi, err := optest.Bind(t, &ops.Call{Spec: readSpec(), Args: args{"path": ops.Text(path)}}).(*reading).Range(0); hi != 200 || err != nil {
		t.Errorf("a changed file still reaches to %g, %v", hi, err)
	}
}

// Whatever rows come together, and wherever a run stops and another goes on, the file is the one that is written as a whole.
func TestRowsGiveTheFileOfTheWhole(t *testing.T) {
	const rows, columns = 700, 90
	typ := ops.Type{Elem: ops.F32, Dims: optest.Dims("y", rows, "x", columns), Unit: ops.MustUnit("mm")}
	h := ops.NewHostArray(typ)
	for r := range rows {
		line := make([]float64, columns)
		for i := range line {
			line[i] = 1e-3 * float64((r*columns+i)%1009)
		}
		h.Parts[0].StoreRow(r, line)
	}
	for _, c := range []struct {
		name string
		as   string
	}{{"a.npy", ""}, {"b.npy", "f64"}, {"c.tif", ""}, {"d.tif", "f64"}} {
		folder := t.TempDir()
		path := filepath.Join(folder, c.name)
		a := args{"path": ops.Text(path)}
		if c.as != "" {
			a["as"] = ops.Symbol(c.as)
		}
		writeWhole(t, t.Context(), h, a)
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, step := range []int{97, 256, 700} {
			for _, stop := range []int{0, 255, 300, 699} {
				call := &ops.Call{Spec: writeSpec(), Args: a}
				marks := writeRows(t, call, h, nil, 0, stop, step)
				from := 0
				if len(marks) > 0 {
					from = marks[len(marks)-1].There[0].Hi
				}
				if from > stop || stop-from > 255 {
					t.Fatalf("%s: stopped at row %d, marked %d", c.name, stop, from)
				}
				writeRows(t, call, h, marks, from, rows, step)
				got, err := os.ReadFile(path)
				if err != nil || !slices.Equal(got, want) {
					t.Fatalf("%s by %d rows, stopped at %d: other bytes, %v", c.name, step, stop, err)
				}
				if left, _ := os.ReadDir(folder); len(left) != 1 {
					t.Fatalf("left over: %v", left)
				}
				if err := os.Remove(path); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// writeRows writes rows and leaves the file, complete or to be resumed.
func writeRows(t *testing.T, c *ops.Call, h ops.HostArray, marks []ops.Mark, from, to, step int) []ops.Mark {
	t.Helper()
	var through []ops.Mark // as a journal keeps them
	text, err := json.Marshal(marks)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &through); err != nil {
		t.Fatal(err)
	}
	s, err := optest.Bind(t, c).(*writing).OpenSink(through)
	if err != nil {
		t.Fatal(err)
	}
	marks = append(marks, sendRows(t, s, h, from, to, step)...)
	if to < h.Type.Dims[0].Size {
		if err := s.Suspend(); err != nil {
			t.Fatal(err)
		}
		return marks
	}
	if _, err := s.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	return marks
}

// sendRows writes rows, so many at a time, and gives what a journal keeps of them.
func sendRows(t *testing.T, s ops.TileSink, h ops.HostArray, from, to, step int) (marks []ops.Mark) {
	t.Helper()
	for lo := from; lo < to; lo += step {
		at := h.Type.Rows(region.Interval{Lo: lo, Hi: min(lo+step, to)})
		if err := s.Write(t.Context(), at, []ops.HostArray{h.Sub(at)}); err != nil {
			t.Fatal(err)
		}
		m, err := s.Mark()
		if err != nil {
			t.Fatal(err)
		}
		if !m.There.Empty() {
			marks = append(marks, m)
		}
	}
	return marks
}

// A part file that lost rows is not resumed.
func TestTruncatedPartsAreNotResumed(t *testing.T) {
	h := ops.NewHostArray(ops.Type{Elem: ops.F32, Dims: optest.Dims("y", 700, "x", 90)})
	for _, name := range []string{"a.npy", "a.tif"} {
		folder := t.TempDir()
		a := args{"path": ops.Text(filepath.Join(folder, name)), "array": optest.Array(h.Type)}
		call := &ops.Call{Spec: writeSpec(), Args: a}
		marks := writeRows(t, call, h, nil, 0, 600, 97)
		if err := os.Truncate(filepath.Join(folder, "."+name+".weft-part"), 300); err != nil {
			t.Fatal(err)
		}
		if _, err := optest.Bind(t, call).(*writing).OpenSink(marks); err == nil || !strings.Contains(err.Error(), "300 are there") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
