package files

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"weft/kernels/ir"
	"weft/ops"
	"weft/ops/files/format"
	"weft/ops/files/tiff"
	"weft/ops/optest"
	"weft/ops/problem"
)

// Every element type that netCDF files have comes back as it was, whole and by parts; others are refused.
func TestNetCDF(t *testing.T) {
	for _, e := range format.Elems() {
		for i, dims := range [][]ops.Dim{optest.Dims("x", 3, "y", 70001), optest.Dims("x", 5), nil, optest.Dims("a", 2, "b", 3, "c", 5)} {
			typ := ops.Type{Elem: e, Dims: dims}
			if e.Complex || e.Base == ir.F16 {
				_, err := bindWrite(bind(writeSpec(), args{"array": optest.Array(typ), "path": ops.Text(filepath.Join(t.TempDir(), "a.nc"))}))
				wantProblem(t, err, problem.CannotStore, "array", nil)
				continue
			}
			h := hostOf(t, typ, ir.Pad{Before: i, After: 1}, uint64(i+1))
			got, _ := readBack(t, args{"path": ops.Text(written(t, "a.nc", h, nil))})
			want := e
			if e == ops.Bool {
				want.Base = ir.U8
			}
			if got.Type.Elem.Base != want.Base || !slices.Equal(got.Type.DimNames(), typ.DimNames()) || !slices.Equal(got.Dense().Re, h.Dense().Re) {
				t.Errorf("%v is read as %v", typ, got.Type)
			}
		}
	}
}

// Instants, places on the map with their system, and what is missing, come back as they were, by way of a GeoTIFF of each part as well.
func TestNetCDFOnTheMap(t *testing.T) {
	for _, c := range []struct {
		place tiff.Affine
		crs   tiff.CRS
		warns string
	}{
		{tiff.Affine{500000.25, 1.0 / 3, 0, 5900000, 0, -1.0 / 3}, tiff.CRS{Model: tiff.Projected, EPSG: 25832, Unit: tiff.Unit{Code: 9001, Metres: 1}}, ""},
		{tiff.Affine{8.1, 1.0 / 3600, 0, 50.3, 0, -1.0 / 3600}, tiff.CRS{Model: tiff.Geographic, EPSG: 4326, Unit: tiff.Unit{Code: 9102, Angular: true}}, ""},
		{tiff.Affine{980000, 3, 0, 200000, 0, 3}, tiff.CRS{Model: tiff.Projected, EPSG: 2263, Unit: tiff.Unit{Code: 9003, Metres: 1200.0 / 3937}}, ""},
		{tiff.Affine{500000, 2, 0, 5900000, 0, -2}, tiff.CRS{Model: tiff.Projected, EPSG: 64999, Unit: tiff.Unit{Code: 9001, Metres: 1}}, "EPSG:64999"},
	} {
		geo, err := tiff.NewGeo(c.place, c.crs)
		if err != nil {
			t.Fatal(err)
		}
		columns := 1 // of which the place of the pixels tells the size
		if c.place[5] > 0 {
			columns = 2
		}
		dims := optest.Dims("time", 2, "y", 3, "x", columns)
		geo.Locate(dims[1:])
		dims[0].Coords, dims[0].Unit = []float64{1782043200, 1782046800}, ops.MustUnit("h")
		typ := ops.Type{Elem: ops.F32, Dims: dims, Unit: ops.MustUnit("degC")}
		h := hostOf(t, typ, ir.Pad{}, 3)
		d := h.Dense()
		d.Re[2] = math.NaN()
		if err := h.SetDense(d); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "a.nc")
		call := bind(writeSpec(), args{"array": optest.Array(typ), "path": ops.Text(path), "nodata": ops.Integer(-9999)})
		if _, err := bindWrite(call); (err == nil) != (c.warns == "") || err != nil && !strings.Contains(err.Error(), c.warns) {
			t.Errorf("%v: %v", c.crs, err)
		}
		if _, err := optest.Bind(t, call).(*writing).Take(t.Context(), []ops.HostArray{h}, nil); err != nil {
			t.Fatal(err)
		}
		got, _ := readBack(t, args{"path": ops.Text(path)})
		for i, d := range got.Type.Dims {
			if d.Name != dims[i].Name || !slices.Equal(d.Coords, dims[i].Coords) || !d.Unit.Same(dims[i].Unit) || (d.Frame == nil) != (dims[i].Frame == nil) || d.Frame != nil && !d.Frame.Same(dims[i].Frame) {
				t.Errorf("%v: %v, want %v", c.crs.EPSG, d, dims[i])
			}
		}
		if back, err := tiff.GeoOf(got.Type.Dims[1], got.Type.Dims[2]); err != nil || c.place[5] < 0 && back.Affine != c.place {
			t.Errorf("%v, %v, want %v", back.Affine, err, c.place)
		}
		if v := got.Dense().Re; !math.IsNaN(v[2]) || slices.ContainsFunc(v[3:], func(v float64) bool { return v != v }) {
			t.Errorf("%v", v)
		}
		in, err := open(bind(readSpec(), args{"path": ops.Text(path)}))
		if err != nil || *in.Nodata != -9999 || in.Unit.String() != "degC" {
			t.Errorf("%+v, %v", in.About, err)
		}
		in.Close()
	}
}

// A record of arrays, texts and numbers is read part by part, and is the same file whether its arrays were in memory or kept beside it.
func TestNetCDFRecords(t *testing.T) {
	x := ops.Dim{Name: "x", Size: 3, Unit: ops.MustUnit("mm"), Coords: []float64{0.001, 0.002, 0.004}}
	a := ops.Type{Elem: ops.F64, Dims: append(optest.Dims("n", 5), x), Unit: ops.MustUnit("m")}
	b := ops.Type{Elem: ops.ElemType{Base: ir.U8}, Dims: optest.Dims("n", 5)}
	record := ops.Record{Names: []string{"a", "b", "said", "rate"}, Fields: map[string]ops.Value{"a": optest.Array(a), "b": optest.Array(b), "said": ops.Text("twice"), "rate": ops.Number{V: 2.5}}}
	path, again := filepath.Join(t.TempDir(), "a.nc"), filepath.Join(t.TempDir(), "b.nc")
	in := []ops.HostArray{hostOf(t, a, ir.Pad{Before: 1}, 1), hostOf(t, b, ir.Pad{}, 2)}
	w := optest.Bind(t, bind(writeSpec(), args{"array": record, "path": ops.Text(path)})).(*recording)
	if _, err := w.Take(t.Context(), in, nil); err != nil {
		t.Fatal(err)
	}
	sink, err := optest.Bind(t, bind(writeSpec(), args{"array": record, "path": ops.Text(again)})).(*recording).OpenSink(nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := sink.Write(t.Context(), a.Whole(), in); err != nil {
		t.Fatal(err)
	}
	if _, err := sink.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	first, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if second, err := os.ReadFile(again); err != nil || !bytes.Equal(first, second) {
		t.Errorf("%d bytes and %d, %v", len(first), len(second), err)
	}
	for i, name := range []string{"a", "b"} {
		got, _ := readBack(t, args{"path": ops.Text(path), "member": ops.Text(name)})
		if !slices.Equal(got.Dense().Re, in[i].Dense().Re) {
			t.Errorf("%s: %v", name, got.Dense().Re)
		}
	}
	parts := map[string]format.Part{}
	for _, p := range partsOf(bind(readSpec(), args{"path": ops.Text(path)})) {
		parts[p.Name] = p
	}
	if len(parts) != 4 || *parts["said"].Text != "twice" || len(parts["rate"].Dims) != 0 || !slices.Equal(parts["a"].Dims, []string{"n", "x"}) {
		t.Errorf("%+v", parts)
	}
}
