package npy

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"weft/kernels/region"
	"weft/ops/files/element"
	"weft/ops/files/tile"
	"weft/ops/files/words"
)

func TestReadEveryTypeOrderAndVersion(t *testing.T) {
	shapes := [][]int{{}, {5}, {0, 3}, {3, 4}, {2, 3, 4}, {70, 3, 130}, {1, 9, 1}}
	for _, d := range element.All() {
		for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
			for _, fortran := range []bool{false, true} {
				for i, shape := range shapes {
					s := sample{d, shape, fortran, order, byte(1 + i%3)}
					got := words.Bytes(s.size() * d.Size())
					f := open(t, s.file())
					if err := f.Read(got, Layout{DType: d}); err != nil {
						t.Fatalf("%+v: %v", s, err)
					}
					if !bytes.Equal(got, s.packed(d)) {
						t.Errorf("%+v: wrong elements", s)
					}
				}
			}
		}
	}
}

// Tiles of files on disk, mapped and not, padded and converted, against the formula.
func TestReadTiles(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	dir := t.TempDir()
	for i := range 60 {
		s := sample{dtype: element.All()[rng.IntN(14)], order: binary.LittleEndian, version: 1, fortran: i%2 == 1}
		if i%3 == 0 {
			s.order = binary.BigEndian
		}
		for range rng.IntN(5) {
			s.shape = append(s.shape, 1+rng.IntN(9))
		}
		path := filepath.Join(dir, fmt.Sprint(i, ".npy"))
		if err := os.WriteFile(path, s.file(), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		for range 10 {
			var part region.Region
			for _, n := range s.shape {
				from := rng.IntN(n)
				part = append(part, region.Interval{Lo: from, Hi: from + rng.IntN(n-from+1)})
			}
			as := Layout{DType: element.Float64}
			if s.dtype.Class() == element.Complex {
				as.DType = element.Complex128
			}
			checkTile(t, f, s, part, as)
			_, columns := tile.RowsOf(part.Shape())
			as.RowStride = (columns + 1 + rng.IntN(3)) * as.DType.Size()
			checkTile(t, f, s, part, as)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func checkTile(t *testing.T, f *File, s sample, part region.Region, as Layout) {
	t.Helper()
	const untouched = 0xa5
	dst := words.Bytes(as.Span(part.Shape()))
	want := make([]byte, len(dst))
	for i := range dst {
		dst[i], want[i] = untouched, untouched
	}
	rows, columns := tile.RowsOf(part.Shape())
	place := 0
	for index := range region.Whole(part.Shape()...).Indices() {
		at := 0
		for i, n := range s.shape {
			at = at*n + part[i].Lo + index[i]
		}
		offset := place/columns*as.Stride(columns) + place%columns*as.DType.Size()
		copy(want[offset:], encoded(nil, hostOrder(), as.DType, s.value(at)))
		place++
	}
	if place != rows*columns {
		t.Fatalf("test visited %d elements of %d", place, rows*columns)
	}
	if err := f.ReadTile(dst, as, part); err != nil {
		t.Fatalf("%+v %+v: %v", s, part, err)
	}
	if !bytes.Equal(dst, want) {
		t.Errorf("%+v tile %+v as %+v: wrong elements", s, part, as)
	}
}

func TestReadRefusals(t *testing.T) {
	s := sample{element.Int16, []int{3, 4}, false, binary.LittleEndian, 1}
	f := open(t, s.file())
	dst := words.Bytes(1024)
	whole := region.Whole(s.shape...)
	for _, c := range []struct {
		name string
		dst  []byte
		as   Layout
		tile region.Region
		want string
	}{
		{"short destination", dst[:23], Layout{DType: element.Int16}, whole, "do not fit 23 bytes"},
		{"narrow rows", dst, Layout{DType: element.Int16, RowStride: 6}, whole, "row stride of 6"},
		{"odd rows", dst, Layout{DType: element.Int16, RowStride: 9}, whole, "row stride of 9"},
		{"huge rows", dst, Layout{DType: element.Int16, RowStride: 1 << 62}, whole, "do not fit"},
		{"no type", dst, Layout{}, whole, "no element type"},
		{"outside", dst, Layout{DType: element.Int16}, whole.Along(0, region.Interval{Lo: 2, Hi: 4}), "outside the shape (3, 4)"},
		{"negative", dst, Layout{DType: element.Int16}, whole.Along(0, region.Interval{Lo: -1, Hi: 1}), "outside the shape (3, 4)"},
		{"dimensions", dst, Layout{DType: element.Int16}, region.Whole(3), "does not fit the shape"},
		{"to boolean", dst, Layout{DType: element.Bool}, whole, "int16 elements cannot become bool"},
		{"unaligned", dst[1:], Layout{DType: element.Int16}, whole, "not aligned"},
	} {
		t.Run(c.name, func(t *testing.T) {
			wantError(t, f.ReadTile(c.dst, c.as, c.tile), "memory.npy", c.want)
		})
	}
}

// A file that shrinks while it is mapped must end in an error, not in a crash.
func TestShrunkWhileMapped(t *testing.T) {
	s := sample{element.Float64, []int{300, 400}, true, binary.LittleEndian, 1}
	path := filepath.Join(t.TempDir(), "a.npy")
	if err := os.WriteFile(path, s.file(), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, ok := f.mapping(); !ok {
		t.Skip("no memory mapping on this system")
	}
	if err := os.Truncate(path, 4096); err != nil {
		t.Fatal(err)
	}
	dst := words.Bytes(s.size() * 8)
	wantError(t, f.Read(dst, Layout{DType: element.Float64}), path, "became shorter")
}

func TestFixtures(t *testing.T) {
	dir := os.Getenv("WEFT_FIXTURES")
	if dir == "" {
		dir = filepath.FromSlash("../../../../shared/data")
	}
	if _, err := os.Stat(dir); err != nil {
		t.Skip("no fixtures: ", err)
	}
	for _, c := range []struct {
		path  string
		dtype element.DType
		shape string
	}{
		{"beamform/iq_allin.npy", element.Complex64, "(560, 1024)"},
		{"beamform/elements_xyz_m.npy", element.Float64, "(3, 1024)"},
		{"beamform/grid_full_z_m.npy", element.Float64, "(128,)"},
		{"beamform/ref_allin_small.npy", element.Complex64, "(32, 32, 64)"},
		{"skyview/input_dsm.npy", element.Float32, "(400, 400)"},
		{"skyview/shadow_noon_wall_sun.npy", element.Float64, "(400, 400)"},
	} {
		h, err := Stat(filepath.Join(dir, c.path))
		if err != nil {
			t.Error(err)
			continue
		}
		if h.DType != c.dtype || element.Shape(h.Shape).String() != c.shape {
			t.Errorf("%s: %v %v, want %v %s", c.path, h.DType, element.Shape(h.Shape), c.dtype, c.shape)
		}
	}
	dsm, _, err := Load[float32](filepath.Join(dir, "skyview/input_dsm.npy"))
	if err != nil {
		t.Fatal(err)
	}
	lo, hi := dsm[0], dsm[0]
	for _, v := range dsm {
		lo, hi = min(lo, v), max(hi, v)
	}
	if lo < 108.955 || lo > 108.965 || hi < 174.415 || hi > 174.425 {
		t.Errorf("elevations %v to %v m, documented 108.96 to 174.42", lo, hi)
	}
	z, _, err := Load[float64](filepath.Join(dir, "beamform/grid_full_z_m.npy"))
	if err != nil {
		t.Fatal(err)
	}
	if z[0] != 0.02 || z[127] != 0.04 {
		t.Errorf("depths %v to %v m, documented 0.02 to 0.04", z[0], z[127])
	}
	a, err := OpenArchive(filepath.Join(dir, "skyview/input_params.npz"))
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	f, err := a.Open("amaxvalue")
	if err != nil {
		t.Fatal(err)
	}
	if v, err := Values[float64](f); err != nil || len(v) != 1 || v[0] < 42.5754 || v[0] > 42.5756 {
		t.Errorf("amaxvalue is %v (%v), documented 42.5755", v, err)
	}
}
