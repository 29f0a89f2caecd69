package spill

import (
	"errors"
	"os"
	"reflect"
	"testing"

	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/ops"
	"weft/ops/problem"
)

// What boxes of any columns take comes back in boxes of any others, also those whose pages are shared, and a byte that was changed is found.
func TestBoxes(t *testing.T) {
	a := &Array{Type: ops.Type{Elem: ops.ElemType{Base: ir.F64}, Dims: []ops.Dim{{Name: "i", Size: 7}, {Name: "j", Size: 1300}}}, Dir: t.TempDir()}
	out, err := Sink{a}.OpenSink(nil)
	if err != nil {
		t.Fatal(err)
	}
	value := func(i, j int) float64 { return float64(i*1300+j) + 0.5 }
	box := func(rows, columns region.Interval, fill bool) (region.Region, ops.HostArray) {
		at := region.Region{rows, columns}
		h := ops.NewHostArray(a.Type.Sub(at))
		if fill {
			row := make([]float64, columns.Len())
			for i := range rows.Len() {
				for j := range row {
					row[j] = value(rows.Lo+i, columns.Lo+j)
				}
				h.Parts[0].StoreRow(i, row)
			}
		}
		return at, h
	}
	for _, columns := range []region.Interval{{Lo: 0, Hi: 700}, {Lo: 700, Hi: 701}, {Lo: 701, Hi: 1300}} {
		for _, rows := range []region.Interval{{Lo: 0, Hi: 3}, {Lo: 3, Hi: 7}} {
			at, h := box(rows, columns, true)
			if err := out.Write(t.Context(), at, []ops.HostArray{h}); err != nil {
				t.Fatal(err)
			}
		}
	}
	in, err := Source{a}.OpenSource()
	if err != nil {
		t.Fatal(err)
	}
	for _, columns := range []region.Interval{{Lo: 0, Hi: 1300}, {Lo: 512, Hi: 1024}, {Lo: 511, Hi: 514}, {Lo: 1299, Hi: 1300}} {
		at, h := box(region.Interval{Lo: 1, Hi: 6}, columns, false)
		if err := in.Read(t.Context(), at, h); err != nil {
			t.Fatal(err)
		}
		row := make([]float64, columns.Len())
		for i := range 5 {
			h.Parts[0].LoadRow(row, i)
			for j, x := range row {
				if x != value(1+i, columns.Lo+j) {
					t.Fatalf("%v: %g in row %d, column %d", at, x, 1+i, columns.Lo+j)
				}
			}
		}
	}
	if !(Source{a}).After(Sink{a}) || (Source{a}).After(Sink{&Array{}}) {
		t.Error("a source is behind its own sink")
	}
	if _, err := a.file.WriteAt([]byte{1}, pitch(a.Type.Parts()[0])*2+8*600); err != nil {
		t.Fatal(err)
	}
	at, h := box(region.Interval{Lo: 2, Hi: 3}, region.Interval{Lo: 512, Hi: 1024}, false)
	var damaged problem.Problem
	if err := in.Read(t.Context(), at, h); !errors.As(err, &damaged) || damaged.Code != problem.DamagedTile {
		t.Errorf("a byte was changed: %v", err)
	}
	at, h = box(region.Interval{Lo: 2, Hi: 3}, region.Interval{Lo: 0, Hi: 512}, false)
	if err := in.Read(t.Context(), at, h); err != nil {
		t.Errorf("beside it: %v", err)
	}
}

// Pages of zeros take no room, come back, and are found where they were changed; what was there before is overwritten by zeros.
func TestZeros(t *testing.T) {
	a := &Array{Type: ops.Type{Elem: ops.ElemType{Base: ir.F64}, Dims: []ops.Dim{{Name: "i", Size: 64}, {Name: "j", Size: 2048}}}, Dir: t.TempDir()}
	out, err := Sink{a}.OpenSink(nil)
	if err != nil {
		t.Fatal(err)
	}
	in, err := Source{a}.OpenSource()
	if err != nil {
		t.Fatal(err)
	}
	row := make([]float64, 2048)
	at, h := a.Type.Whole(), ops.NewHostArray(a.Type)
	write := func() {
		if err := out.Write(t.Context(), at, []ops.HostArray{h}); err != nil {
			t.Fatal(err)
		}
	}
	row[600], row[2047] = 1, 2
	h.Parts[0].StoreRow(5, row)
	write()
	if room := taken(t, a.file); room > 2*page {
		t.Errorf("%d bytes are taken by two pages that are not zero", room)
	}
	row[600] = 0
	h.Parts[0].StoreRow(5, row)
	write()
	back := ops.NewHostArray(a.Type)
	if err := in.Read(t.Context(), at, back); err != nil {
		t.Fatal(err)
	}
	for i := range 64 {
		back.Parts[0].LoadRow(row, i)
		for j, x := range row {
			if want := map[bool]float64{true: 2}[i == 5 && j == 2047]; x != want {
				t.Fatalf("row %d, column %d is %g", i, j, x)
			}
		}
	}
	if _, err := a.file.WriteAt([]byte{1}, 9*2048*8); err != nil {
		t.Fatal(err)
	}
	var damaged problem.Problem
	if err := in.Read(t.Context(), at, back); !errors.As(err, &damaged) || damaged.Code != problem.DamagedTile {
		t.Errorf("a page of zeros was changed: %v", err)
	}
}

// taken is the room that a file takes on the disk.
func taken(t *testing.T, f *os.File) int64 {
	t.Helper()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	blocks := reflect.Indirect(reflect.ValueOf(info.Sys())).FieldByName("Blocks")
	if !blocks.IsValid() {
		t.Skip("the system does not say it")
	}
	return 512 * blocks.Int()
}
