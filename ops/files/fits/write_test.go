package fits

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"codeberg.org/astrogo/fitsio"

	"weft/kernels/ir"
	"weft/ops"
	"weft/ops/files/element"
	"weft/ops/files/format"
	"weft/ops/optest"
)

// ordered is a file to be written.
func ordered(path string, t ops.Type) format.Order {
	d, _ := format.DTypeOf(t.Elem)
	return format.Order{Path: path, Type: t, Elem: t.Elem, DType: d, Unit: t.Unit}
}

func typeOf(e ops.ElemType, u string, dims ...ops.Dim) ops.Type {
	return ops.Type{Elem: e, Dims: dims, Unit: ops.MustUnit(u)}
}

// sendAll writes an array through Create, some rows at a time, from the last to the first.
func sendAll(t *testing.T, o format.Order, h ops.HostArray) []byte {
	t.Helper()
	out, err := create(o, false, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := format.Send(context.Background(), out, o, o.Type.Whole(), h); err != nil {
		t.Fatal(err)
	}
	if err := out.Commit(false); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(o.Path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func TestImagesRoundTrip(t *testing.T) {
	x := ops.Dim{Name: "x", Size: 5, Coords: []float64{0, 1e-3, 2e-3, 3e-3, 5e-3}, Unit: ops.MustUnit("mm")}
	for _, d := range element.All() {
		if !holds(d) || d == element.Uint64 {
			continue
		}
		path := filepath.Join(t.TempDir(), "a.fits")
		typ := typeOf(format.ElemOf(d), "km/s", ops.Dim{Name: "y", Size: 3}, x)
		if !d.Float() {
			typ.Unit = ops.Unit{}
		}
		h := optest.Host(typ, ir.Pad{})
		dense := optest.Random(typ, 5, 0)
		if d.Class() == element.Unsigned {
			for i, v := range dense.Re {
				dense.Re[i] = max(v, -v)
			}
		}
		if err := h.SetDense(dense); err != nil {
			t.Fatal(err)
		}
		content := sendAll(t, ordered(path, typ), h)
		if len(content)%block != 0 {
			t.Errorf("%v: %d bytes", d, len(content))
		}
		a, err := opened(t, content, "", "")
		if err != nil {
			t.Fatal(err)
		}
		about := a.About()
		if about.DType != d || !slices.Equal(about.Names, []string{"y", "x"}) || !about.Unit.Same(typ.Unit) || !slices.Equal(a.coords[1].values, x.Coords) || a.coords[1].unit.String() != "mm" {
			t.Errorf("%v is read as %+v", d, about)
		}
		for i, v := range whole[float64](t, a) {
			if got := v * about.Unit.SI(); d.Class() != element.Floating && got != h.Float(i) || d.Float() && max(got-h.Float(i), h.Float(i)-got) > 1e-4 {
				t.Errorf("%v: element %d is %v, not %v", d, i, got, h.Float(i))
			}
		}
		// The library reads it too.
		f, err := fitsio.Open(bytes.NewReader(content))
		if err != nil || len(f.HDUs()) != 2 || f.HDU(1).Name() != "x" || !slices.Equal(f.HDU(0).Header().Axes(), []int{5, 3}) {
			t.Errorf("%v: the library reads %v, %v", d, f, err)
		}
	}
}

// A header is ASCII: dims of other names have none in it.
func TestDimsOfOtherLetters(t *testing.T) {
	typ := typeOf(ops.F32, "µs", ops.Dim{Name: "θ", Size: 2, Coords: []float64{0, 1}}, ops.Dim{Name: "x", Size: 3})
	content := sendAll(t, ordered(filepath.Join(t.TempDir(), "a.fits"), typ), optest.Host(typ, ir.Pad{}))
	for i, c := range slices.Concat(content[:block], content[2*block:3*block]) { // of the image, and of the coordinates behind its data
		if c < ' ' || c > '~' {
			t.Fatalf("byte %d of the header is %d", i, c)
		}
	}
	if a, err := opened(t, content, "", ""); err != nil || !a.unit.Same(typ.Unit) || a.names != nil {
		t.Errorf("%+v, %v", a, err)
	}
}

func TestTablesRoundTrip(t *testing.T) {
	star := ops.Dim{Name: "star", Size: 7}
	path := filepath.Join(t.TempDir(), "a.fits")
	var parts []format.Named
	for i, d := range element.All() {
		if written[d].form == "" || d == element.Uint64 {
			continue
		}
		typ := typeOf(format.ElemOf(d), "", star)
		if i%3 == 0 {
			typ.Dims = append(typ.Dims, ops.Dim{Name: "a", Size: 2}, ops.Dim{Name: "b", Size: 3})
		}
		h := optest.Host(typ, ir.Pad{})
		dense := optest.Random(typ, uint64(i), 0)
		for i, v := range dense.Re {
			switch {
			case d.Class() == element.Unsigned:
				dense.Re[i] = max(v, -v)
			case d == element.Bool:
				dense.Re[i] = float64(i % 2)
			}
		}
		if err := h.SetDense(dense); err != nil {
			t.Fatal(err)
		}
		parts = append(parts, format.Named{Name: d.String(), Order: ordered(path, typ), Array: h})
	}
	if err := checkTable(parts); err != nil {
		t.Fatal(err)
	}
	if err := writeTable(context.Background(), path, parts); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range parts {
		a, err := opened(t, content, "", p.Name)
		if err != nil {
			t.Fatal(err)
		}
		if a.dtype != p.Order.DType || !slices.Equal(a.shape, p.Order.Type.Shape()) || a.scale != 0 {
			t.Errorf("%s is %v %v", p.Name, a.dtype, a.shape)
		}
		for i, v := range whole[complex128](t, a) {
			if v != p.Array.Complex(i) {
				t.Fatalf("%s[%d] is %v, not %v", p.Name, i, v, p.Array.Complex(i))
			}
		}
	}
	f, err := fitsio.Open(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	tab := f.HDU(1).(*fitsio.Table)
	if tab.NumRows() != 7 || tab.NumCols() != len(parts) {
		t.Errorf("the library reads %d rows of %d columns", tab.NumRows(), tab.NumCols())
	}
	other := parts[:2:2]
	other = append(other, format.Named{Name: "other", Order: ordered(path, typeOf(ops.F32, "", ops.Dim{Name: "line", Size: 7}))})
	if err := checkTable(other); err == nil || !strings.Contains(err.Error(), "other is f32 [line: 7]") {
		t.Errorf("rows of different dims: %v", err)
	}
}
