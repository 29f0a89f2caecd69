package tiff

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"weft/kernels/region"
	"weft/ops"
	"weft/ops/files/element"
	"weft/ops/files/format"
	"weft/ops/files/words"
)

// several is a raster of several bands to be written, and its elements.
func several(path string, d element.DType, bands, height, width int, name string, coords ...float64) (format.Order, []byte) {
	t := ops.Type{Elem: format.ElemOf(d), Dims: []ops.Dim{{Name: name, Size: bands, Coords: coords, Unit: ops.MustUnit("s")}, {Name: "y", Size: height}, {Name: "x", Size: width}}}
	n := bands * height * width
	values := make([]int16, n)
	for i := range values {
		values[i] = int16(i % 119)
	}
	convert, err := element.Converter(element.Int16, d)
	if err != nil {
		panic(err)
	}
	raw := words.Bytes(n * d.Size())
	convert(raw, words.Raw(values))
	return format.Order{Path: path, Type: t, Elem: t.Elem, DType: d, Unit: t.Unit}, raw
}

// readAll reads the array of a file, in two parts.
func readAll(t *testing.T, path string, d element.DType) ([]byte, format.About) {
	t.Helper()
	in, err := openRaster(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	about := in.About()
	var all []byte
	for _, part := range []region.Interval{{Lo: 0, Hi: 1}, {Lo: 1, Hi: about.Shape[0]}} {
		at := region.Whole(about.Shape...).Along(0, part)
		out := words.Bytes(int(at.Points()) * d.Size())
		if err := in.Read(out, d, 0, at); err != nil {
			t.Fatal(err)
		}
		all = append(all, out...)
	}
	return all, about
}

// Bands are written in any parts, and by a run that goes on where another was cut off; they are read with their dimension again.
func TestBandsAreWritten(t *testing.T) {
	for _, d := range []element.DType{element.Uint8, element.Int16, element.Float32} {
		for _, memory := range []bool{false, true} {
			path := filepath.Join(t.TempDir(), "a.tif")
			o, raw := several(path, d, 4, 530, 300, "time", 1.7e9, 1.7e9+3600, 1.7e9+7200, 1.7e9+10800)
			w, err := createRaster(o, true, nil)
			if err != nil {
				t.Fatal(err)
			}
			var marks []ops.Mark
			each := 530 * 300 * d.Size()
			put := func(lo, hi int) {
				t.Helper()
				at := region.Whole(4, 530, 300).Along(0, region.Interval{Lo: lo, Hi: hi})
				data := raw[lo*each : hi*each]
				if memory {
					if err := w.(format.MemoryWriter).WriteMemory(t.Context(), data, 300*d.Size(), at); err != nil {
						t.Fatal(err)
					}
					return
				}
				part := w.Part(at)
				for piece := range slices.Chunk(data, 300*d.Size()*97) {
					if _, err := part.Write(piece); err != nil {
						t.Fatal(err)
					}
				}
				if err := part.Close(); err != nil {
					t.Fatal(err)
				}
			}
			put(0, 1)
			put(1, 2)
			mark, err := w.Mark()
			if err != nil || !mark.There.Equal(region.Region{{Hi: 2}, {Hi: 530}, {Hi: 300}}) {
				t.Fatal(mark.There, err)
			}
			marks = append(marks, mark)
			put(2, 3) // which no mark tells
			if err := w.Suspend(); err != nil {
				t.Fatal(err)
			}
			if w, err = createRaster(o, true, marks); err != nil {
				t.Fatal(err)
			}
			put(2, 4)
			if err := w.Commit(false); err != nil {
				t.Fatal(err)
			}
			got, about := readAll(t, path, d)
			if !bytes.Equal(got, raw) {
				t.Errorf("%v: other elements", d)
			}
			if fmt.Sprint(about.Names, about.Shape, about.Chunk) != "[time y x] [4 530 300] [1 256 256]" {
				t.Error(about.Names, about.Shape, about.Chunk)
			}
			h, err := Stat(path)
			if err != nil || h.Ignored.Overviews != 1 || !slices.Equal(h.Across.Coords, o.Type.Dims[0].Coords) || h.Across.Unit.String() != "s" {
				t.Errorf("%+v, %v", h, err)
			}
		}
	}
}
