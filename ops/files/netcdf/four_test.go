package netcdf

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"slices"
	"testing"

	"weft/kernels/region"
	"weft/ops"
)

// A file of netCDF-4 that the netCDF library wrote has coordinates, a system, packed numbers of which one is missing, bounds, which are no array of their own,
// and a group.
func TestFour(t *testing.T) {
	const path = "testdata/four.nc"
	parts, err := list(path, nil)
	var have []string
	for _, p := range parts {
		have = append(have, fmt.Sprintf("%s %v", p.Name, p.Dims))
	}
	if slices.Sort(have); err != nil || !slices.Equal(have, []string{"more.mask [y x]", "snow [time y x]"}) {
		t.Fatalf("%+v, %v", parts, err)
	}
	snow, dims, warnings := opened(t, path, "snow")
	about := snow.About()
	if warnings != nil || about.Scale != 0.5 || about.Offset != 1 || *about.Nodata != -1 || about.Unit.String() != "cm" {
		t.Errorf("%+v, %v", about, warnings)
	}
	const day = 1582848000 // 2020-02-28
	if !slices.Equal(dims[0].Coords, []float64{day, day + 2*86400}) || !slices.Equal(dims[1].Coords, []float64{5399999, 5399997, 5399995}) || fmt.Sprint(dims[2].Frame) != "eastings of EPSG:25832" {
		t.Errorf("%v", dims)
	}
	got := floats(t, snow, region.Whole(2, 3, 4))
	for i, v := range got {
		if want := float64(i); i == 14 && !math.IsNaN(v) || i != 14 && v != want {
			t.Errorf("element %d is %v", i, v)
		}
	}
	mask, dims, _ := opened(t, path, "more.mask")
	if got := floats(t, mask, region.Whole(3, 4)); got[11] != 11 || dims[0].Coords[2] != 5399995 || !dims[0].Unit.Same(ops.MustUnit("m")) || dims[0].Frame != nil {
		t.Errorf("%v, %v", got, dims)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(data); i += 97 {
		spoilt := bytes.Clone(data)
		spoilt[i] ^= byte(1 + i%255)
		tried(t, spoilt)
		tried(t, data[:i])
	}
}
