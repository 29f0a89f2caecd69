package tiff

import (
	"path/filepath"
	"testing"

	"weft/ops/files/element"
)

// TestNoSystemIsWrittenWhereNoneIsKnown has a raster that is placed and no more: GDAL takes keys for a system even if they name none.
func TestNoSystemIsWrittenWhereNoneIsKnown(t *testing.T) {
	at := Affine{500, 2, 0, 900, 0, -2}
	geo, err := NewGeo(at, CRS{})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "a.tif")
	if err := Save(path, Header{DType: element.Float32, Height: 2, Width: 3, Geo: geo}, make([]float32, 6)); err != nil {
		t.Fatal(err)
	}
	h, err := Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if !h.Geo.Placed || h.Geo.Affine != at || h.Geo.PixelIsPoint || h.Geo.CRS != (CRS{}) {
		t.Errorf("it is placed at %v", h.Geo)
	}
	if h.Geo.fields[atGeoKeys].count != 0 {
		t.Error("the file has keys of a system")
	}
}
