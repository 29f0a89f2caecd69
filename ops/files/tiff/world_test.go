package tiff

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weft/ops/files/element"
)

// A raster that has no place takes that of a world file: the centre of its first pixel, as rasterio 1.4.3 reads it.
func TestWorldFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.tif")
	save := func(g Geo) {
		t.Helper()
		if err := Save(path, Header{DType: element.Uint8, Height: 2, Width: 2, Geo: g}, make([]uint8, 4)); err != nil {
			t.Fatal(err)
		}
	}
	world := func(ending, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(filepath.Dir(path), "a"+ending), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	place := func() Geo {
		t.Helper()
		h, err := Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return h.Geo
	}
	save(Geo{})
	if place().Placed {
		t.Error("a place without a file of it")
	}
	world(".wld", "2\n0\n0\n-2\n500001\n5399999\n")
	if g := place(); !g.Placed || g.Affine != (Affine{500000, 2, 0, 5400000, 0, -2}) {
		t.Errorf("%+v", g.Affine)
	}
	world(".tfw", "0,5\r\n0.1\r\n0.2\r\n-0,5\r\n10\r\n20\r\n") // before the other
	if g := place(); g.Affine != (Affine{9.65, 0.5, 0.2, 20.2, 0.1, -0.5}) || !g.Rotated() {
		t.Errorf("%+v", g.Affine)
	}
	for text, want := range map[string]string{"1\n0\n0\n-1\n0\n": "a.tfw", "1\n0\n0\n-1\n0\nx\n": `"x", which is no number`, "1\n1\n1\n1\n0\n0\n": "pixels without area", "1 0 0 -1 0 0 0": "7 numbers"} {
		world(".tfw", text)
		if _, err := Stat(path); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "a.tfw") {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	own, err := NewGeo(Affine{1, 2, 0, 3, 0, -2}, CRS{Model: Projected, EPSG: 25832, Unit: epsgUnits[metre]})
	if err != nil {
		t.Fatal(err)
	}
	save(own)
	if g := place(); g.Affine != own.Affine {
		t.Errorf("the place of a file beside goes before that of the raster: %v", g.Affine)
	}
}
