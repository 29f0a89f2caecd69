package zarr

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"weft/kernels/region"
	"weft/ops"
	"weft/ops/files/element"
	"weft/ops/files/fileio"
	"weft/ops/files/format"
	"weft/ops/files/tiff"
	"weft/ops/files/words"
)

// onMap is an order of an array over time and a map, of chunks that have six hours of eight.
func onMap(t *testing.T, path string, d element.DType) format.Order {
	t.Helper()
	metre, _ := tiff.UnitOf(9001)
	geo, err := tiff.NewGeo(tiff.Affine{500000, 2, 0, 5900000, 0, -2}, tiff.CRS{Model: tiff.Projected, EPSG: 25832, Unit: metre})
	if err != nil {
		t.Fatal(err)
	}
	o := order(path, d, 8, 1200, 1100)
	o.Type.Dims[0] = ops.Dim{Name: "time", Size: 8, Unit: ops.MustUnit("s")}
	for h := range 8 {
		o.Type.Dims[0].Coords = append(o.Type.Dims[0].Coords, float64(time.Date(2026, 6, 21, 8+h, 0, 0, 0, time.UTC).Unix()))
	}
	o.Type.Dims[1].Name, o.Type.Dims[2].Name = "y", "x"
	geo.Locate(o.Type.Dims[1:])
	return o
}

func put[T any](t *testing.T, w format.Output, at region.Region, of []T) {
	t.Helper()
	part := w.Part(at)
	_, err := part.Write(words.Raw(of))
	if err = errors.Join(err, part.Close()); err != nil {
		t.Fatal(err)
	}
}

// An array with coordinates is one of a group with them, which is read again and replaced as a whole, and of whole numbers none is what no chunk holds.
func TestGroupsOfOne(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.zarr")
	o := onMap(t, path, element.Uint8)
	all := make([]uint8, 8*1200*1100)
	first := len(all) / 8 * 6
	for i := range all[:first] {
		all[i] = 255 - uint8(i%3) // and zeros
	}
	half := region.Region{{Lo: 0, Hi: 6}, {Lo: 0, Hi: 1200}, {Lo: 0, Hi: 1100}}
	rest := half.Along(0, region.Interval{Lo: 6, Hi: 8})
	for _, resumed := range []bool{false, true} {
		w, err := create(o, resumed, nil)
		if err != nil {
			t.Fatal(err)
		}
		put(t, w, half, all[:first])
		if resumed {
			mark, err := w.Mark()
			if err != nil || mark.There.Points() != half.Points() {
				t.Fatal(mark, err)
			}
			if err := w.Suspend(); err != nil {
				t.Fatal(err)
			}
			if w, err = create(o, true, []ops.Mark{mark}); err != nil {
				t.Fatal(err)
			}
		}
		put(t, w, rest, all[first:])
		if err := w.Commit(false); err != nil {
			t.Fatal(err)
		}
		var d description
		text, err := os.ReadFile(filepath.Join(path, "data", descriptionFile))
		if err = errors.Join(err, json.Unmarshal(text, &d)); err != nil || string(d.Fill) != "252" {
			t.Errorf("resumed %v: %s, %v; want a number that is not there", resumed, d.Fill, err)
		}
		if got, err := read(t, path, element.Uint8, nil); err != nil || !slices.Equal(got, all) {
			t.Errorf("resumed %v: it is not read as written: %v", resumed, err)
		}
		dims, doubts := placed(t, path)
		for i, d := range dims {
			if want := o.Type.Dims[i]; !slices.Equal(d.Coords, want.Coords) || d.Frame != nil != (want.Frame != nil) || d.Frame != nil && !d.Frame.Same(want.Frame) || doubts > 0 {
				t.Errorf("%s lies at %v..., not at %v...", d.Name, d.Coords[:2], want.Coords[:2])
			}
		}
		if got, err := read(t, path, element.Float64, format.Choice{"member": "x"}); err != nil || words.View[float64](got)[1] != 500003 {
			t.Errorf("coordinates: %v", err)
		}
	}
	var g struct {
		All struct {
			Metadata map[string]description `json:"metadata"`
		} `json:"consolidated_metadata"`
	}
	text, err := os.ReadFile(filepath.Join(path, descriptionFile))
	if err = errors.Join(err, json.Unmarshal(text, &g)); err != nil || len(g.All.Metadata) != 5 {
		t.Fatal(g, err)
	}
	crs, axis := g.All.Metadata["crs"].Attributes, g.All.Metadata["time"].Attributes
	for _, c := range []struct{ got, want string }{
		{string(g.All.Metadata["data"].Attributes["grid_mapping"]), `"crs"`}, {string(crs["epsg_code"]), `"EPSG:25832"`}, {string(crs["GeoTransform"]), `"500000 2 0 5.9e+06 0 -2"`},
		{string(crs["longitude_of_central_meridian"]), "9"}, {string(axis["units"]), `"seconds since 1970-01-01 00:00:00"`}, {fmt.Sprint(g.All.Metadata["y"].Shape), "[1200]"},
	} {
		if !strings.Contains(c.got, c.want) {
			t.Errorf("%s, want %s", c.got, c.want)
		}
	}
	if err := os.Mkdir(filepath.Join(path, "mine"), 0o777); err != nil {
		t.Fatal(err)
	}
	var e *fileio.Error
	if err := isStore(path); !errors.As(err, &e) || !strings.Contains(e.Reason, "whose arrays would be lost") {
		t.Errorf("a group with a folder that is not of it: %v", err)
	}
}

// What no chunk holds is looked for from the end of a type on.
func TestUnused(t *testing.T) {
	bytes := make([]uint8, 256)
	for i := range bytes {
		bytes[i] = uint8(i)
	}
	for _, c := range []struct {
		d    element.DType
		of   []byte
		want string
	}{
		{element.Int8, words.Raw([]int8{-128, 5}), "-127"}, {element.Uint8, bytes[1:], "0"}, {element.Uint8, bytes[:200], "255"}, {element.Uint8, bytes, "0"},
		{element.Int16, words.Raw([]int16{-32768, 32767, -32767}), "-32766"}, {element.Uint16, words.Raw([]uint16{65535, 0}), "65534"},
		{element.Int32, words.Raw([]int32{0}), "-2147483648"}, {element.Uint32, words.Raw([]uint32{1<<32 - 1}), "4294967294"},
		{element.Int64, words.Raw([]int64{-1 << 63, 1}), "-9223372036854775807"}, {element.Uint64, words.Raw([]uint64{1<<64 - 1, 1<<63 - 1}), "9223372036854775806"},
	} {
		u := newUnused(c.d)
		u.saw(c.d, c.of)
		if got := u.text(); got != c.want {
			t.Errorf("%s: %s, want %s", c.d, got, c.want)
		}
	}
}
