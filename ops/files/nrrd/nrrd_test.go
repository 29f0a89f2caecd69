package nrrd

import (
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weft/kernels/region"
	"weft/ops"
	"weft/ops/files/element"
	"weft/ops/files/format"
	"weft/ops/files/words"
)

func dim(name, unit string, coords ...float64) ops.Dim {
	u := ops.MustUnit(unit)
	d := ops.Dim{Name: name, Size: len(coords), Unit: u}
	for _, c := range coords {
		d.Coords = append(d.Coords, c*u.SI()+u.Offset)
	}
	return d
}

// TestHeader compares headers with what the definition of the format asks for.
func TestHeader(t *testing.T) {
	z, y, x := dim("z", "mm", 1, 3.5), dim("y", "cm", -1, 0, 1), dim("x", "mm", 0, -2, -4, -6)
	for _, c := range []struct {
		dims []ops.Dim
		want string
	}{
		{[]ops.Dim{z, y, x}, `NRRD0005
type: float
dimension: 3
sizes: 4 3 2
encoding: raw
endian: little
labels: "x" "y" "z"
sample units: Gy
kinds: domain domain domain
space dimension: 3
space directions: (-2,0,0) (0,10,0) (0,0,2.5)
space origin: (0,-10,1)
space units: "mm" "mm" "mm"

`},
		{[]ops.Dim{y, x, z}, `NRRD0005
type: float
dimension: 3
sizes: 2 4 3
encoding: raw
endian: little
labels: "z" "x" "y"
sample units: Gy
kinds: domain domain domain
space dimension: 3
space directions: (0,0,2.5) (-2,0,0) (0,10,0)
space origin: (0,-10,1)
space units: "mm" "mm" "mm"

`},
		{[]ops.Dim{dim("run", "1", 1, 2, 4), dim("time", "s", 0.5, 1), {Name: "k", Size: 2}}, `NRRD0005
type: float
dimension: 3
sizes: 2 2 3
encoding: raw
endian: little
labels: "k" "time" "run"
sample units: Gy
spacings: nan 0.5 nan
axis mins: nan 0.5 nan
centers: node node node
units: "" "s" ""

`},
	} {
		want := c.want
		if words.HostBigEndian {
			want = strings.Replace(want, "little", "big", 1)
		}
		o := format.Order{Type: ops.Type{Elem: ops.F32, Dims: c.dims}, DType: element.Float32, Unit: ops.MustUnit("Gy")}
		if got := string(header(o)); got != want {
			t.Errorf("%s, want\n%s", got, want)
		}
	}
}

// TestFile: elements stand behind the header as they are, and what is no such array is refused.
func TestFile(t *testing.T) {
	o := format.Order{Path: filepath.Join(t.TempDir(), "a.nrrd"), Type: ops.Type{Elem: ops.F64, Dims: []ops.Dim{dim("y", "mm", 1, 2), dim("x", "mm", 1, 2, 3)}}, DType: element.Float64}
	out, err := Raster.Create(o, false, nil)
	if err != nil {
		t.Fatal(err)
	}
	part := out.Part(region.Region{{Lo: 0, Hi: 2}, {Lo: 0, Hi: 3}})
	if _, err := part.Write(words.Raw([]float64{1, 2, 3, 4, 5, 6.5})); err != nil {
		t.Fatal(err)
	}
	if err := part.Close(); err != nil {
		t.Fatal(err)
	}
	if err := out.Commit(false); err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(o.Path)
	if err != nil {
		t.Fatal(err)
	}
	_, data, found := strings.Cut(string(file), "\n\n")
	if last := math.Float64frombits(binary.NativeEndian.Uint64([]byte(data[40:]))); !found || len(data) != 48 || last != 6.5 {
		t.Errorf("%d bytes of elements, the last %g", len(data), last)
	}
	if err := check(format.Order{Type: ops.Type{Elem: ops.F64}}); err == nil {
		t.Error("a number is no raster")
	}
	if Raster.Holds(element.Complex64) || Raster.Holds(element.Float16) || !Raster.Holds(element.Uint16) {
		t.Error("types that the format has not")
	}
}
