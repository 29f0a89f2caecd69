package files

import (
	"math"
	"path/filepath"
	"slices"
	"testing"

	"weft/ops"
	"weft/ops/files/element"
	"weft/ops/files/tiff"
	"weft/ops/optest"
	"weft/ops/problem"
)

// Whatever is cut out of a raster, its place and all that the file says of the system stay; turned round, it is no raster.
func TestPartsOfRastersKeepTheirPlace(t *testing.T) {
	folder := t.TempDir()
	in, out := filepath.Join(folder, "in.tif"), filepath.Join(folder, "out.tif")
	header := utm(t, 70, 90)
	if err := tiff.Save(in, header, ramp32(70*90)); err != nil {
		t.Fatal(err)
	}
	whole, _ := inferred(t, args{"path": ops.Text(in)})
	part := func(y0, y1, x0, x1, by int) ops.Type {
		typ := whole
		typ.Dims = slices.Clone(typ.Dims)
		for i, at := range [][2]int{{y0, y1}, {x0, x1}} {
			d := &typ.Dims[i]
			var coords []float64
			for k := at[0]; k < at[1]; k += by {
				coords = append(coords, d.Coords[k])
			}
			d.Size, d.Coords = len(coords), coords
		}
		return typ
	}
	for _, c := range []struct {
		name string
		typ  ops.Type
		want tiff.Affine
	}{
		{"a row", part(7, 8, 0, 90, 1), tiff.Affine{500000, 2, 0, 5900000 - 14, 0, -2}},
		{"a column", part(0, 70, 3, 4, 1), tiff.Affine{500006, 2, 0, 5900000, 0, -2}},
		{"a pixel", part(9, 10, 3, 4, 1), tiff.Affine{500006, 2, 0, 5900000 - 18, 0, -2}},
		{"every third", part(0, 70, 0, 90, 3), tiff.Affine{500000 - 2, 6, 0, 5900000 + 2, 0, -6}},
	} {
		writeWhole(t, t.Context(), ops.NewHostArray(c.typ), args{"path": ops.Text(out)})
		got, err := tiff.Stat(out)
		if err != nil || got.Geo.Affine != c.want || !got.Geo.SameCRS(header.Geo) || got.Geo.CRS.Citation != header.Geo.CRS.Citation {
			t.Errorf("%s: %+v, %v", c.name, got.Geo, err)
		}
	}
	plain := ops.Type{Elem: ops.F32, Dims: optest.Dims("x", 3, "y", 4)}
	for i := range plain.Dims {
		plain.Dims[i].Coords, plain.Dims[i].Unit = make([]float64, plain.Dims[i].Size), ops.MustUnit("m")
	}
	turned := whole
	turned.Dims = []ops.Dim{whole.Dims[1], whole.Dims[0]}
	renamed := turned
	renamed.Dims = slices.Clone(turned.Dims)
	renamed.Dims[0].Name, renamed.Dims[1].Name = "row", "column"
	for _, typ := range []ops.Type{plain, turned, renamed} {
		c := &ops.Call{Spec: writeSpec(), Args: args{"array": optest.Array(typ), "path": ops.Text(out)}}
		_, err := writeSpec().Bind(c)
		wantProblem(t, err, problem.CannotStore, "array", []string{"transpose(order: [" + typ.Dims[1].Name})
	}
}

// Heights in feet are read in feet where the file says so; coordinates are shown in the unit of the system.
func TestRastersInFeet(t *testing.T) {
	folder := t.TempDir()
	feet := tiff.Unit{Code: 9002, Name: "foot", Metres: 0.3048}
	survey := tiff.Unit{Code: 9003, Name: "US survey foot", Metres: 1200.0 / 3937}
	metre := tiff.Unit{Code: 9001, Name: "metre", Metres: 1}
	for _, c := range []struct {
		name             string
		linear, vertical tiff.Unit
		args             args
		unit, across     string
		first            float64
	}{
		{"both", survey, survey, nil, "ftUS", "ftUS", 100 * 1200.0 / 3937},
		{"heights alone", metre, feet, nil, "ft", "m", 30.48},
		{"not said", feet, tiff.Unit{}, nil, "", "ft", 100},
		{"in metres", metre, metre, nil, "", "m", 100},
		{"as asked", feet, tiff.Unit{}, args{"unit": ops.Symbol("ft")}, "ft", "ft", 30.48},
		{"numbers alone", survey, survey, args{"unit": ops.Integer(1)}, "", "ftUS", 100},
	} {
		geo, err := tiff.NewGeo(tiff.Affine{1000, 5, 0, 2000, 0, -5}, tiff.CRS{Model: tiff.Projected, EPSG: 2263, Unit: c.linear, Vertical: c.vertical})
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(folder, "a.tif")
		if err := tiff.Save(path, tiff.Header{DType: element.Float32, Height: 1, Width: 2, Geo: geo}, []float32{100, 101}); err != nil {
			t.Fatal(err)
		}
		a := args{"path": ops.Text(path)}
		for k, v := range c.args {
			a[k] = v
		}
		h := readWhole(t, a)
		if x := h.Type.Dims[1]; h.Type.Unit.String() != c.unit || math.Abs(h.Float(0)-c.first) > 1e-5 || x.Unit.String() != c.across || math.Abs(x.Coords[0]-1002.5*c.linear.Metres) > 1e-9 {
			t.Errorf("%s: %g in %q, columns from %g in %q", c.name, h.Float(0), h.Type.Unit, x.Coords[0], x.Unit)
		}
		out := filepath.Join(folder, "b.tif")
		writeWhole(t, t.Context(), h, args{"path": ops.Text(out)})
		want := geo
		if c.name == "numbers alone" {
			want = geo.WithoutHeights()
		}
		if v, got, err := tiff.Load[float32](out); err != nil || !sameGeo(got.Geo, want) || math.Abs(float64(v[0])-100) > 1e-5 {
			t.Errorf("%s: written %v, %+v, %v", c.name, v, got.Geo, err)
		}
	}
}
