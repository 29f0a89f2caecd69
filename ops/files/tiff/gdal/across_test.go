package gdal

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"weft/ops"
)

// What bands lie along is taken from what files say, if that can be.
func TestDimensionsOfBands(t *testing.T) {
	item := func(name, text string) Item { return Item{Name: name, Text: text} }
	for _, c := range []struct {
		items []Item
		want  string
	}{
		{nil, "[]"},
		{[]Item{item(extraDims, "{time}")}, "time []"},
		{[]Item{item(extraDims, "{time}"), item("NETCDF_DIM_time_VALUES", "{0,1}"), item("time#units", "hours since 2026-06-21T00:00:00Z")}, "time [1.782e+09 1.7820036e+09]"},
		{[]Item{item(extraDims, "{time}"), item("NETCDF_DIM_time_VALUES", "{0,1}"), item("time#units", "hours since 2026-6-21 02:00:00+02:00")}, "time [1.782e+09 1.7820036e+09]"},
		{[]Item{item(extraDims, "{time}"), item("NETCDF_DIM_time_VALUES", "{0,1}"), item("time#units", "moons since 2026-06-21")}, "time []"},
		{[]Item{item(extraDims, "{time}"), item("NETCDF_DIM_time_VALUES", "{0,1,2}"), item("time#units", "h")}, "time []"},
		{[]Item{item(extraDims, "{time}"), item("NETCDF_DIM_time_VALUES", "{0,b}"), item("time#units", "h")}, "time []"},
		{[]Item{item(extraDims, "{depth}"), item("NETCDF_DIM_depth_VALUES", "{0,5}"), item("depth#units", "cm")}, "depth [0 0.05]"},
		{[]Item{item(extraDims, "{time,depth}")}, "[]"},
		{[]Item{item(extraDims, "{y}")}, "[]"},
	} {
		a := Metadata{Items: c.items}.Across(2)
		if got := strings.TrimSpace(fmt.Sprintf("%s %v", a.Name, a.Coords)); got != c.want {
			t.Errorf("%v: %s, want %s", c.items, got, c.want)
		}
	}
	d := ops.Dim{Name: "azimuth", Size: 3, Coords: []float64{0, 1.0471975511965976, 2.0943951023931953}, Unit: ops.MustUnit("deg")}
	text, err := Encode(Across{d.Name, d.Coords, d.Unit}, 0, 0, 3)
	if err != nil || !bytes.Contains([]byte(text), []byte(`sample="1" role="description">azimuth 60 deg<`)) || !bytes.Contains([]byte(text), []byte("{0,60,120}")) {
		t.Error(text, err)
	}
}
