package memory

import (
	"testing"
	"unsafe"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/region"
)

// Rows lie where they would in a whole buffer, with their padding, and apart from those of others.
func TestSliding(t *testing.T) {
	a := &ir.Buffer{Name: "a", Type: ir.F64, Shape: []int{10, 5}}
	b := &ir.Buffer{Name: "b", Type: ir.F32, Shape: []int{10, 3}, Pad: ir.Pad{Before: 2, After: 1, Value: 7}}
	got, err := Slide([]*ir.Buffer{a, b}, 4)
	if err != nil {
		t.Fatal(err)
	}
	address := func(data []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(data))) }
	for _, rows := range []region.Interval{{Hi: 4}, {Lo: 4, Hi: 8}, {Lo: 8, Hi: 10}} {
		for i, s := range got {
			if err := s.Move(rows); err != nil {
				t.Fatal(err)
			}
			buf := []*ir.Buffer{a, b}[i]
			if row := uintptr(buf.Bytes()) / 10; address(s.Host())+uintptr(rows.Lo)*row != address(s.There()) || len(s.Host()) != int(buf.Bytes()) {
				t.Errorf("%s: rows %v do not lie where they would", buf.Name, rows)
			}
		}
	}
	for row := range 4 {
		for i, want := range []float64{7, 7, 0, 0, 0, 7} {
			if v := device.Float(ir.F32, got[1].There(), row*6+i); v != want {
				t.Errorf("element %d of row %d is %v, want %v", i, row, v, want)
			}
		}
	}
	if end := address(got[0].There()) + uintptr(len(got[0].There())); end+uintptr(device.MarginBytes(a)) > address(got[1].There()) {
		t.Error("rows of two buffers have no margin between them")
	}
	if got[0].Move(region.Interval{Lo: 2, Hi: 7}) == nil || got[0].Move(region.Interval{Lo: 8, Hi: 12}) == nil {
		t.Error("it stands for more rows than there are")
	}
	for _, s := range got {
		s.Free()
		s.Free()
		if s.Host() != nil {
			t.Error("there is memory after it was freed")
		}
	}
	if _, err := Slide([]*ir.Buffer{{Name: "line", Type: ir.F32, Shape: []int{4}}}, 2); err == nil {
		t.Error("a single row slides")
	}
}
