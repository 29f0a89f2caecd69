package cli

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"weft/ops/files/element"
	"weft/ops/files/tiff"
)

// makeExampleRasters writes the rasters that the examples of codes read.
func makeExampleRasters(t *testing.T) {
	t.Helper()
	if err := writeRasters(""); err != nil {
		t.Fatal(err)
	}
}

// rasters: writes them to the folder of a script.
func rasters(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: rasters")
	}
	ts.Check(writeRasters(ts.MkAbs(".")))
}

func writeRasters(folder string) error {
	north := tiff.Affine{500000, 1, 0, 5900000, 0, -1}
	utm := tiff.CRS{Model: tiff.Projected, EPSG: 25832, Unit: tiff.Unit{Code: 9001, Metres: 1}}
	other := utm
	other.EPSG++
	missing := -9999.0
	for name, size := range map[string][2]int{"nodata.tif": {8, 8}, "tall_nodata.tif": {3000, 400}} {
		geo, err := tiff.NewGeo(north, utm)
		if err != nil {
			return err
		}
		h := tiff.Header{DType: element.Float32, Height: size[0], Width: size[1], Geo: geo, Nodata: &missing}
		if err := tiff.Save(filepath.Join(folder, name), h, slices.Repeat([]float32{float32(missing)}, size[0]*size[1])); err != nil {
			return err
		}
	}
	for name, place := range map[string]struct {
		at  tiff.Affine
		crs tiff.CRS
	}{
		"dsm.tif":       {north, utm},
		"no_crs.tif":    {north, tiff.CRS{}},
		"other_crs.tif": {north, other},
		"apart.tif":     {tiff.Affine{500100, 1, 0, 5900000, 0, -1}, utm},
		"half.tif":      {tiff.Affine{500000.5, 1, 0, 5900000, 0, -1}, utm},
		"coarse.tif":    {tiff.Affine{500000, 2, 0, 5900000, 0, -2}, utm},
		"rotated.tif":   {tiff.Affine{500000, 1, 0.5, 5900000, 0.5, -1}, utm},
	} {
		geo, err := tiff.NewGeo(place.at, place.crs)
		if err != nil {
			return err
		}
		if err := tiff.Save(filepath.Join(folder, name), tiff.Header{DType: element.Float32, Height: 8, Width: 8, Geo: geo}, make([]float32, 64)); err != nil {
			return err
		}
	}
	return nil
}
