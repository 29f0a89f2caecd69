//go:build linux

package memory

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/ops"
)

// resident is the memory of the process that is really there.
func resident(t *testing.T) int64 {
	t.Helper()
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Skip(err)
	}
	pages, err := strconv.ParseInt(strings.Fields(string(text))[1], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return pages * int64(os.Getpagesize())
}

func TestWindowsTakeMemoryForTheRowsThatAreThere(t *testing.T) {
	buf := &ir.Buffer{Name: "w", Type: ir.F32, Shape: []int{4000, 5000}, Pad: ir.Pad{Before: 32, After: 64, Value: 7}}
	w, err := NewWindow(buf)
	if err != nil {
		t.Fatal(err)
	}
	h := ops.HostPart{Buf: buf, Data: w.Host()}
	before := resident(t)
	line := make([]float64, 5000)
	const step, kept = 100, 150
	most := int64(0)
	for lo := 0; lo < 4000; lo += step {
		w.Extend(ops.RowsOf(buf, region.Interval{Lo: lo, Hi: lo + step}))
		for row := lo; row < lo+step; row++ {
			for i := range line {
				line[i] = float64(row + i)
			}
			h.StoreRow(row, line)
		}
		w.Drop(lo + step - kept)
		most = max(most, resident(t)-before)
		for _, row := range []int{max(0, lo+step-kept), lo + step - 1} {
			h.LoadRow(line, row)
			if line[3] != float64(row+3) || line[4999] != float64(row+4999) {
				t.Fatalf("row %d was lost: %v", row, line[3])
			}
			for _, cell := range []int{0, 31, 32 + 5000, 32 + 5000 + 63} {
				if v := device.Float(ir.F32, w.Host()[row*buf.Row()*4:], cell); v != 7 {
					t.Fatalf("padding of row %d is %g", row, v)
				}
			}
		}
		if got, want := w.Bytes(), int64(min(lo+step, kept))*5096*4; got > want+step*5096*4 || w.at[0].Hi != lo+step {
			t.Fatalf("%d bytes, want %d", got, want)
		}
	}
	rows := int64(kept+step) * 5096 * 4
	if slack := int64(10 << 20); most > rows+slack {
		t.Errorf("%d bytes were there, the rows take %d, all of them %d", most, rows, buf.Bytes())
	}
	w.Free()
	w.Free()
	if w.Host() != nil {
		t.Error("freed memory can be had")
	}
}

func TestWindowsOfVectors(t *testing.T) {
	buf := &ir.Buffer{Name: "v", Type: ir.F64, Shape: []int{100000}, Pad: ir.Pad{Before: 32, After: 64, Value: -1}}
	w, err := NewWindow(buf)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Free()
	h := ops.HostPart{Buf: buf, Data: w.Host()}
	for lo := 0; lo < 100000; lo += 1000 {
		at := region.Region{{Lo: lo, Hi: lo + 1000}}
		w.Extend(at)
		values := make([]float64, 1000)
		for i := range values {
			values[i] = float64(lo + i)
		}
		h.Store(lo, values)
		w.Drop(lo - 100)
		for i := max(0, lo-100); i < lo+1000; i++ {
			if v := device.Float(ir.F64, h.Element(i), 0); v != float64(i) {
				t.Fatalf("element %d is %g", i, v)
			}
		}
	}
	for _, cell := range []int{0, 31, 100032, 100095} {
		if v := device.Float(ir.F64, w.Host(), cell); v != -1 {
			t.Errorf("padding %d is %g", cell, v)
		}
	}
	if _, err := NewWindow(&ir.Buffer{Type: ir.F32}); err == nil {
		t.Error("a single value has a window")
	}
}

// A narrow window takes memory for its part of every row, not for what is beside it, and gives that back.
func TestNarrowWindowsTakeMemoryForTheirColumns(t *testing.T) {
	const rows, columns = 600, 60000
	typ := ops.Type{Elem: ops.F32, Dims: []ops.Dim{{Name: "y", Size: rows}, {Name: "x", Size: columns}}}
	buf := &ir.Buffer{Name: "w", Type: ir.F32, Shape: []int{rows, columns}, Pad: ir.Pad{Before: 32, After: 64, Value: 7}}
	w, err := NewWindow(buf)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Free()
	h := ops.HostArray{Type: typ, Parts: []ops.HostPart{{Buf: buf, Data: w.Host()}}}
	before := resident(t)
	for lo := 0; lo < columns; lo += 5000 {
		at := region.Region{{Hi: rows}, {Lo: lo, Hi: lo + 5000}}
		w.Extend(at)
		part := h.Sub(at).Parts[0]
		line := make([]float64, 5000)
		for row := range rows {
			line[17] = float64(row + lo)
			part.StoreRow(row, line)
		}
		if most := int64(rows*(5000*4+2*os.Getpagesize()) + 4<<20); resident(t)-before > most {
			t.Errorf("from column %d: %d bytes are there, %d are needed", lo, resident(t)-before, most)
		}
		w.Drop(rows / 2)
		for _, row := range []int{rows / 2, rows - 1} {
			if part.LoadRow(line, row); line[17] != float64(row+lo) {
				t.Fatalf("row %d of column %d was lost: %g", row, lo+17, line[17])
			}
		}
		w.Drop(rows)
	}
}

// Where parts of rows are held, a strip lies in one piece, wherever it begins, and rows of it come and go as whole ones do; its values and padding stay.
func TestHeldStripsLieInOnePiece(t *testing.T) {
	const rows, columns, wide, step, kept = 3000, 60000, 5000, 500, 700
	buf := &ir.Buffer{Name: "w", Type: ir.F32, Shape: []int{rows, columns}, Pad: ir.Pad{Before: 32, After: 64, Value: 7}, Held: wide + 96 + 16}
	typ := ops.Type{Elem: ops.F32, Dims: []ops.Dim{{Name: "y", Size: rows}, {Name: "x", Size: columns}}}
	w, err := NewWindow(buf)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Free()
	if got, all := len(w.Host()), rows*columns*4; got > all/10 {
		t.Errorf("%d bytes of addresses, all rows take %d", got, all)
	}
	h := ops.HostArray{Type: typ, Parts: []ops.HostPart{{Buf: buf, Data: w.Host()}}}
	before, line := resident(t), make([]float64, wide)
	for lo := 0; lo < columns; lo += wide {
		for from := 0; from < rows; from += step {
			at := region.Region{{Lo: from, Hi: from + step}, {Lo: lo, Hi: lo + wide}}
			w.Extend(at)
			part := h.Sub(at).Parts[0]
			for row := range step {
				for i := range line {
					line[i] = float64(from + row + lo + i)
				}
				part.StoreRow(row, line)
			}
			w.Drop(from + step - kept)
			if there, most := resident(t)-before, int64((kept+step)*buf.Row()*4+8<<20); there > most {
				t.Errorf("column %d, row %d: %d bytes are there, %d are needed", lo, from, there, most)
			}
			if there, want := w.Bytes(), int64(min(kept, from+step)*buf.Row()*4); there > want {
				t.Errorf("column %d, row %d: %d bytes are counted, and rows take %d", lo, from, there, want)
			}
			for _, row := range []int{max(0, from+step-kept), from + step - 1} {
				part := h.Sub(region.Region{{Lo: row, Hi: row + 1}, {Lo: lo, Hi: lo + wide}}).Parts[0]
				part.LoadRow(line, 0)
				for i, v := range line {
					if v != float64(row+lo+i) {
						t.Fatalf("row %d, column %d is %g", row, lo+i, v)
					}
				}
				cell := func(i int) float64 { return device.Float(ir.F32, w.Host(), row*buf.Row()+i) }
				if lo == 0 && (cell(0) != 7 || cell(31) != 7) || lo+wide == columns && (cell(32+columns) != 7 || cell(32+columns+63) != 7) {
					t.Fatalf("padding of row %d is lost", row)
				}
			}
		}
		w.Drop(rows)
	}
}
