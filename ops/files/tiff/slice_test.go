package tiff

import (
	"path/filepath"
	"slices"
	"testing"

	"weft/ops/files/element"
)

func loadAndSave[T Element](t *testing.T, want element.DType) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.tif")
	values := []T{1, 2, 3, 120, 5, 6}
	if err := Save(path, Header{DType: want, Height: 2, Width: 3}, values); err != nil {
		t.Fatal(err)
	}
	got, h, err := Load[T](path)
	if err != nil || h.DType != want || element.Of[T]() != want || !slices.Equal(got, values) {
		t.Errorf("%v: got %v as %v (%v)", want, got, h.DType, err)
	}
}

func TestLoadAndSaveEveryType(t *testing.T) {
	loadAndSave[uint8](t, element.Uint8)
	loadAndSave[int8](t, element.Int8)
	loadAndSave[uint16](t, element.Uint16)
	loadAndSave[int16](t, element.Int16)
	loadAndSave[uint32](t, element.Uint32)
	loadAndSave[int32](t, element.Int32)
	loadAndSave[float32](t, element.Float32)
	loadAndSave[float64](t, element.Float64)
}

func TestNames(t *testing.T) {
	if got := Deflate.String() + ", " + FloatingPoint.String() + ", " + element.Int8.String() + ", " + element.DType(0).String(); got != "deflate, floating point, int8, DType(0)" {
		t.Errorf("got %s", got)
	}
}
