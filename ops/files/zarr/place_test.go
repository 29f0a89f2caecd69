package zarr

import (
	"bytes"
	"fmt"
	"path/filepath"
	"testing"

	"weft/ops"
	"weft/ops/files/element"
	"weft/ops/files/format"
	"weft/ops/files/tiff"
)

// placed is what is read of the dims of a store, and what is doubted.
func placed(t *testing.T, path string) (dims []ops.Dim, doubts int) {
	t.Helper()
	in, err := open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	about := in.About()
	for i, n := range about.Shape {
		dims = append(dims, ops.Dim{Name: about.Names[i], Size: n})
	}
	_, err = in.(format.Placer).Place(&ops.Call{Spec: &ops.Spec{}}, dims)
	if err != nil {
		t.Fatal(err)
	}
	return dims, len(about.Doubts)
}

// Where rows and columns lie on the map is written and read again.
func TestPlaces(t *testing.T) {
	metre, _ := tiff.UnitOf(9001)
	degree, _ := tiff.UnitOf(9102)
	for _, c := range []struct {
		crs  tiff.CRS
		at   tiff.Affine
		want string
	}{
		{tiff.CRS{Model: tiff.Projected, EPSG: 25832, Unit: metre}, tiff.Affine{500000, 2, 0, 5900000, 0, -2}, "eastings of EPSG:25832 [500001 500003 500005 500007] m [5899999 5899997 5899995] m"},
		{tiff.CRS{Model: tiff.Geographic, EPSG: 4326, Unit: degree}, tiff.Affine{8, 1, 0, 50, 0, -1}, "eastings of EPSG:4326 [0.14835299 0.16580628 0.18325957 0.20071286] deg [0.86393798 0.84648469 0.82903139] deg"},
	} {
		geo, err := tiff.NewGeo(c.at, c.crs)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "a.zarr")
		o := order(path, element.Float32, 2, 3, 4)
		o.Type.Dims[1].Name, o.Type.Dims[2].Name = "y", "x"
		geo.Locate(o.Type.Dims[1:])
		w, err := create(o, false, nil)
		if err != nil {
			t.Fatal(err)
		}
		part := w.Part(o.Type.Whole())
		all := values(element.Float32, 24)
		if _, err := part.Write(all); err != nil {
			t.Fatal(err)
		}
		if err := part.Close(); err != nil {
			t.Fatal(err)
		}
		if err := w.Commit(false); err != nil {
			t.Fatal(err)
		}
		if got, err := read(t, path, element.Float32, nil); err != nil || !bytes.Equal(got, all) {
			t.Errorf("%v: %v, want %v", err, got, all)
		}
		dims, doubts := placed(t, path)
		if got := fmt.Sprintf("%s %.8g %s %.8g %s", dims[2].Frame, dims[2].Coords, dims[2].Unit, dims[1].Coords, dims[1].Unit); got != c.want || doubts > 0 || dims[0].Coords != nil || !dims[1].Frame.Same(o.Type.Dims[1].Frame) {
			t.Errorf("%s (%d doubts), want %s", got, doubts, c.want)
		}
	}
	transform := []float64{2, 0, 500000, 0, -2, 5900000}
	for _, c := range []struct {
		attributes map[string]any
		placed     bool
		frame      bool
		doubts     int
	}{
		{map[string]any{}, false, false, 0},
		{map[string]any{transformName: transform, spatialDims: []string{"y", "x"}}, true, false, 0},
		{map[string]any{transformName: transform, spatialDims: []string{"x", "y"}}, false, false, 0},
		{map[string]any{transformName: transform[:5], spatialDims: []string{"y", "x"}}, false, false, 0},
		{map[string]any{transformName: transform, spatialDims: []string{"y", "x"}, codeName: "EPSG:25832"}, true, false, 1},
		{map[string]any{transformName: transform, spatialDims: []string{"y", "x"}, unitName: 9001, crsName: map[string]any{"url": urlOf + "25832"}}, true, true, 0},
		{map[string]any{transformName: transform, spatialDims: []string{"y", "x"}, unitName: 9001, crsName: map[string]any{"wkt": `PROJCRS["a",ID["EPSG",25832]]`}}, true, true, 0},
		{map[string]any{transformName: []float64{2, 1, 500000, 1, -2, 5900000}, spatialDims: []string{"y", "x"}}, false, false, 1},
	} {
		dims, doubts := placed(t, made(t, map[string]any{"attributes": c.attributes, "dimension_names": []string{"y", "x"}}, nil))
		if dims[1].Coords != nil != c.placed || dims[1].Frame != nil != c.frame || doubts != c.doubts {
			t.Errorf("%v: %+v, %d doubts", c.attributes, dims, doubts)
		}
	}
}
