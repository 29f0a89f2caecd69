//go:build linux

package memory

import (
	"math/rand/v2"
	"testing"

	"golang.org/x/sys/unix"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/ops"
)

// faults are the pages that the process was given so far.
func faults(t *testing.T) int64 {
	t.Helper()
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		t.Skip(err)
	}
	return u.Minflt
}

// Rows that come lie in the pages of rows that went, in small pages and in huge ones, over several strips: what is there is right, the padding has its
// value, and the memory is that of the rows that are there at once.
func TestPagesOfRowsThatWentComeBack(t *testing.T) {
	for _, columns := range []int{3000, 20000} {
		const rows, step = 1200, 48
		buf := &ir.Buffer{Name: "w", Type: ir.F32, Shape: []int{rows, columns}, Pad: ir.Pad{Before: 32, After: 64}}
		w, err := NewWindow(buf)
		if err != nil {
			t.Fatal(err)
		}
		h := ops.HostPart{Buf: buf, Data: w.Host()}
		before, given, most := resident(t), faults(t), int64(0)
		line := make([]float64, columns)
		for strip := range 3 {
			for lo := 0; lo < rows; lo += step {
				w.Extend(ops.RowsOf(buf, region.Interval{Lo: lo, Hi: lo + step}))
				for row := lo; row < lo+step; row++ {
					for cell := range 32 {
						if v := device.Float(ir.F32, w.Host()[row*buf.Row()*4:], cell); v != 0 {
							t.Fatalf("padding of row %d is %g", row, v)
						}
					}
					for i := range line {
						line[i] = float64(strip + row + i)
					}
					h.StoreRow(row, line)
				}
				most = max(most, resident(t)-before)
				w.Drop(lo)
				for _, row := range []int{lo, lo + step - 1} {
					h.LoadRow(line, row)
					if line[0] != float64(strip+row) || line[columns-1] != float64(strip+row+columns-1) {
						t.Fatalf("row %d was lost: %v", row, line[0])
					}
				}
			}
			w.Drop(rows)
		}
		there := int64(2*step*buf.Row()) * 4
		if most > there+8<<20 {
			t.Errorf("%d bytes were there, the rows take %d", most, there)
		}
		if n := faults(t) - given; !w.huge && n*4096 > 2*there+8<<20 {
			t.Errorf("%d pages were new, and %d bytes are there at once", n, there)
		}
		if len(w.cuts) > 4*rows/step {
			t.Errorf("%d cuts of %d moves", len(w.cuts), 3*rows/step)
		}
		w.Free()
	}
}

// Boxes of whole rows that are dropped give their pages to others, wherever these are; what is beside them stays.
func TestPatchesOfRowsComeBack(t *testing.T) {
	const n, rows = 2048, 512
	buf := &ir.Buffer{Name: "p", Type: ir.F64, Shape: []int{n, n}}
	p, err := NewPatches(buf, n) // in large pages
	if err != nil {
		t.Fatal(err)
	}
	defer p.Free()
	at := func(i int) region.Region {
		return region.Region{{Lo: i * rows, Hi: (i + 1) * rows}, {Hi: n}}
	}
	fill := func(i int, v float64) {
		p.Ready(at(i))
		for k := i * rows * n; k < (i+1)*rows*n; k++ {
			device.SetFloat(ir.F64, p.Host(), k, v)
		}
	}
	fill(1, 1)
	before := resident(t)
	for turn := range 12 {
		i := []int{0, 2, 3}[turn%3]
		fill(i, float64(turn))
		for _, k := range []int{rows * n, 2*rows*n - 1} {
			if v := device.Float(ir.F64, p.Host(), k); v != 1 {
				t.Fatalf("what stays is %g", v)
			}
		}
		p.Drop(at(i), func(r region.Region) bool { return !r.Intersect(at(1)).Empty() })
	}
	if more := resident(t) - before; more > rows*n*8+8<<20 {
		t.Errorf("%d bytes came for boxes of %d", more, rows*n*8)
	}
}

// Boxes that begin and end within pages get no pages that move away later, be these of what was dropped beside them.
func TestBoxesKeepThePagesTheyBeginIn(t *testing.T) {
	const n, rows, parts = 3000, 256, 10
	buf := &ir.Buffer{Name: "p", Type: ir.F64, Shape: []int{rows * parts, n}}
	p, err := NewPatches(buf, rows*parts) // in large pages
	if err != nil {
		t.Fatal(err)
	}
	defer p.Free()
	at := func(i int) region.Region { return region.Region{{Lo: i * rows, Hi: (i + 1) * rows}, {Hi: n}} }
	held, random := map[int]float64{}, rand.New(rand.NewPCG(1, 2))
	for turn := range 200 {
		i := random.IntN(parts)
		if _, there := held[i]; there || len(held) > 4 {
			for i = range held {
				break
			}
			delete(held, i)
			p.Drop(at(i), func(r region.Region) bool {
				for k := range held {
					if !r.Intersect(at(k)).Empty() {
						return true
					}
				}
				return false
			})
			continue
		}
		p.Ready(at(i))
		held[i] = float64(turn + 1)
		for from, to := range ops.ByteRanges(buf, at(i)) {
			for k := from / 8; k < to/8; k++ {
				device.SetFloat(ir.F64, p.Host(), k, held[i])
			}
		}
		for k, want := range held {
			for from, to := range ops.ByteRanges(buf, at(k)) {
				for _, e := range []int{from / 8, (from + to) / 16, to/8 - 1} {
					if v := device.Float(ir.F64, p.Host(), e); v != want {
						t.Fatalf("turn %d: element %d of box %d is %g, and was %g", turn, e, k, v, want)
					}
				}
			}
		}
	}
}

// Nor do rows of a window that was emptied and goes on within a page.
func TestRowsKeepThePageTheyBeginIn(t *testing.T) {
	const columns, step = 3000, 100
	buf := &ir.Buffer{Name: "w", Type: ir.F64, Shape: []int{4000, columns}}
	w, err := NewWindow(buf)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Free()
	h, line := ops.HostPart{Buf: buf, Data: w.Host()}, make([]float64, columns)
	for lo := 0; lo < 4000; lo += step {
		w.Extend(ops.RowsOf(buf, region.Interval{Lo: lo, Hi: lo + step/2}))
		for row := lo; row < lo+step/2; row++ {
			for i := range line {
				line[i] = float64(row + 1)
			}
			h.StoreRow(row, line)
		}
		w.Extend(ops.RowsOf(buf, region.Interval{Lo: lo, Hi: lo + step}))
		for row := lo; row < lo+step/2; row++ {
			if h.LoadRow(line, row); line[0] != float64(row+1) || line[columns-1] != float64(row+1) {
				t.Fatalf("row %d was lost: %v, %v", row, line[0], line[columns-1])
			}
		}
		w.Drop(lo + step)
	}
}

// A window that was emptied begins in the page in which it ended, which went with the rest: that comes back too, and is not a new one each time.
func TestWindowsThatAreEmptiedStaySmall(t *testing.T) {
	const n, step = 60_000_000, 1_487_968
	buf := &ir.Buffer{Name: "v", Type: ir.U16, Shape: []int{n}}
	w, err := NewWindow(buf)
	if err != nil {
		t.Fatal(err)
	}
	before, most := resident(t), int64(0)
	for lo := 0; lo < n; lo += step {
		at := region.Interval{Lo: lo, Hi: min(lo+step, n)}
		w.Extend(ops.RowsOf(buf, at))
		data := w.Host()[2*at.Lo : 2*at.Hi]
		for i := range data {
			data[i] = byte(lo / step)
		}
		most = max(most, resident(t)-before)
		if data[0] != byte(lo/step) || data[len(data)-1] != byte(lo/step) {
			t.Fatalf("elements from %d were lost", lo)
		}
		w.Drop(at.Hi)
	}
	if !w.huge {
		t.Error("in small pages: nothing is tested")
	}
	if there := int64(2 * step); most > there+12<<20 {
		t.Errorf("%d bytes were there, the elements take %d", most, there)
	}
	w.Free()
}

// Parts of rows, for which no pages are asked, leave none behind, however wide they are.
func TestPartsOfRowsLeaveNothing(t *testing.T) {
	const n, rows, wide = 30000, 32, 14000 // no whole pages, more than are moved one by one
	buf := &ir.Buffer{Name: "p", Type: ir.F64, Shape: []int{20 * rows, n}}
	p, err := NewPatches(buf, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Free()
	before := resident(t)
	for i := range 20 {
		for lo := 0; lo+wide <= n; lo += wide {
			at := region.Region{{Lo: i * rows, Hi: (i + 1) * rows}, {Lo: lo, Hi: lo + wide}}
			for from, to := range ops.ByteRanges(buf, at) {
				for k := from; k < to; k++ {
					p.Host()[k] = 1
				}
			}
			p.Drop(at, func(region.Region) bool { return false })
		}
	}
	if more := resident(t) - before; more > 2*rows*wide*8+8<<20 {
		t.Errorf("%d bytes are held of boxes of %d", more, rows*wide*8)
	}
}

// Few rows that begin and end within large pages would take several times what they hold: they have small ones.
func TestNarrowBandsTakeWhatTheyHold(t *testing.T) {
	const n, rows = 4000, 128
	buf := &ir.Buffer{Name: "p", Type: ir.F64, Shape: []int{n, n}}
	p, err := NewPatches(buf, rows)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Free()
	before, most := resident(t), int64(0)
	for lo := 0; lo+rows <= n; lo += rows {
		at := region.Region{{Lo: lo, Hi: lo + rows}, {Hi: n}}
		p.Ready(at)
		for k := lo * n; k < (lo+rows)*n; k++ {
			device.SetFloat(ir.F64, p.Host(), k, 1)
		}
		most = max(most, resident(t)-before)
		p.Drop(at, func(region.Region) bool { return false })
	}
	if most > 2*rows*n*8 {
		t.Errorf("%d bytes for bands of %d", most, rows*n*8)
	}
}
