package cli

import (
	"testing"

	"weft/ops/files/tiff"
)

// makeExampleRasters writes the rasters that the examples of codes read.
func makeExampleRasters(t *testing.T) {
	t.Helper()
	north := tiff.Affine{500000, 1, 0, 5900000, 0, -1}
	utm := tiff.CRS{Model: tiff.Projected, EPSG: 25832, Unit: tiff.Unit{Code: 9001, Metres: 1}}
	for name, place := range map[string]struct {
		at  tiff.Affine
		crs tiff.CRS
	}{
		"dsm.tif":     {north, utm},
		"no_crs.tif":  {north, tiff.CRS{}},
		"rotated.tif": {tiff.Affine{500000, 1, 0.5, 5900000, 0.5, -1}, utm},
	} {
		geo, err := tiff.NewGeo(place.at, place.crs)
		if err != nil {
			t.Fatal(err)
		}
		if err := tiff.Save(name, tiff.Header{DType: tiff.Float32, Height: 8, Width: 8, Geo: geo}, make([]float32, 64)); err != nil {
			t.Fatal(err)
		}
	}
}
