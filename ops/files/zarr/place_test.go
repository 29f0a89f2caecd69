package zarr

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weft/ops"
	"weft/ops/files/element"
	"weft/ops/files/format"
	"weft/ops/files/tiff"
	"weft/ops/files/wkt"
	"weft/ops/optest"
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
		all := make([]byte, 4*24) // zeros are not missing
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
		if text, err := os.ReadFile(filepath.Join(path, "data", descriptionFile)); err != nil || !strings.Contains(string(text), `"fill_value": "NaN"`) {
			t.Errorf("%s, %v", text, err)
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
		{map[string]any{transformName: transform, spatialDims: []string{"y", "x"}, codeName: "EPSG:25832"}, true, true, 0},
		{map[string]any{transformName: transform, spatialDims: []string{"y", "x"}, codeName: "EPSG:64999"}, true, false, 1},
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

// Coordinates are arrays of the names of dims beside an array, as xarray writes them, and their system what a grid mapping names: or the array itself, of
// coordinates without a unit.
func TestCoordinates(t *testing.T) {
	path := made(t, map[string]any{"node_type": "group"}, nil)
	put := func(name string, shape []int, dims []string, attributes map[string]any, data []byte) {
		t.Helper()
		file := "c/0"
		if len(shape) != 1 {
			file = "c"
		}
		files := map[string][]byte{file: data}
		if len(shape) > 1 {
			files = chunks(binary.LittleEndian, plain)
		}
		changes := map[string]any{"shape": shape, "attributes": attributes, "dimension_names": dims}
		if len(shape) < 2 {
			changes["chunk_grid"] = map[string]any{"name": "regular", "configuration": map[string]any{"chunk_shape": shape}}
		}
		if err := os.Rename(made(t, changes, files), filepath.Join(path, name)); err != nil {
			t.Fatal(err)
		}
	}
	put("y", []int{3}, []string{"y"}, map[string]any{"units": "m", "axis": "Y", "scale_factor": 2}, []byte{8, 0, 7, 0, 6, 0})
	put("x", []int{5}, []string{"x"}, map[string]any{"units": "m", "axis": "X", "bounds": "edges"}, []byte{1, 0, 2, 0, 3, 0, 4, 0, 5, 0})
	put("edges", []int{3, 5}, []string{"x", "axis1"}, nil, nil)
	put("crs", []int{}, []string{}, map[string]any{"crs_wkt": wkt.Of(5514)}, []byte{0, 0})
	put("heat", []int{3, 5}, []string{"y", "x"}, map[string]any{"grid_mapping": "crs"}, nil)
	dims, doubts := placed(t, path) // of arrays beside it one alone
	if got := fmt.Sprint(dims[0].Coords, dims[1].Coords, dims[1].Frame, doubts); got != "[16 14 12] [1 2 3 4 5] eastings of EPSG:5514 0" {
		t.Error(got)
	}
	if in, err := open(path, format.Choice{"member": "x"}); err != nil || in.About().Shape[0] != 5 {
		t.Error(err)
	} else {
		in.Close()
	}
	for _, name := range []string{"y", "x", "edges", "crs", "heat"} {
		if err := os.RemoveAll(filepath.Join(path, name)); err != nil {
			t.Fatal(err)
		}
	}
	put("y", []int{3}, []string{"y"}, map[string]any{"axis": "Y"}, []byte{8, 0, 7, 0, 6, 0})
	put("x", []int{4}, []string{"x"}, nil, []byte{1, 0, 2, 0, 3, 0, 4, 0})
	put("heat", []int{3, 5}, []string{"y", "x"}, map[string]any{codeName: "EPSG:2263"}, nil)
	in, err := open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	dims = []ops.Dim{{Name: "y", Size: 3}, {Name: "x", Size: 5}}
	spec := &ops.Spec{Name: "read", Params: []ops.Param{ops.Str("path", ""), ops.Num("pixel", "m", "").Opt()}}
	warnings, err := in.(format.Placer).Place(optest.Call(spec, map[string]ops.Value{"path": ops.Text(path)}), dims)
	if err != nil || dims[1].Coords != nil || dims[1].Frame != nil || warnings == nil || !strings.Contains(warnings.Error(), "coordinates of x are [4] of 5") || !strings.Contains(warnings.Error(), "the dimensions that lie on the map are not told") {
		t.Errorf("%v, %v, %v", dims, warnings, err)
	}
	if err := os.RemoveAll(filepath.Join(path, "x")); err != nil {
		t.Fatal(err)
	}
	put("x", []int{5}, []string{"x"}, map[string]any{"axis": "X"}, []byte{1, 0, 2, 0, 3, 0, 4, 0, 5, 0})
	if dims, doubts := placed(t, path); fmt.Sprintf("%.6g %s %d", dims[1].Coords[:2], dims[1].Unit, doubts) != "[0.304801 0.609601] ftUS 0" {
		t.Errorf("%v, %d doubts", dims, doubts)
	}
}
