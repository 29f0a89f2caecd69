package device

import (
	"bufio"
	"fmt"
	"os"
	"slices"
	"testing"
	"unsafe"

	"weft/kernels/ir"
)

// Pages of an array that was gathered from several are spare again, for arrays of other sizes; what is known to have been moved together is one mapping of
// the system's, since those before Linux 6.17 move no more at a time.
func TestGatheredPagesComeBack(t *testing.T) {
	var s Spare
	defer s.Release()
	for _, n := range []int{5, 3, 9} {
		s.Keep(mebibytes(t, n, 0xA5))
	}
	pieces := 0
	for _, n := range []int{15, 11, 7, 13, 4, 16, 3} {
		m, err := s.Take(&ir.Buffer{Name: "c", Type: ir.F64, Shape: []int{n, 1<<17 - 12}, Pad: ir.Pad{Before: 4, After: 8}}, true)
		if err != nil || m == nil {
			t.Fatalf("%d MiB: %v, %v", n, m, err)
		}
		for i := range m.Host() {
			if m.Host()[i] != 0 {
				t.Fatalf("%d MiB: byte %d is %d", n, i, m.Host()[i])
			}
			m.Host()[i] = 0xA5
		}
		s.Keep(m)
		for _, p := range s.parts {
			from := 0
			for _, end := range slices.Concat(p.ends, []int{len(p.pages)}) {
				lies(t, p.pages[from:end])
				from = end
				pieces++
			}
		}
	}
	if pieces < 30 {
		t.Errorf("only %d pieces", pieces)
	}
}

// lies checks that memory is within one mapping.
func lies(t *testing.T, data []byte) {
	t.Helper()
	f, err := os.Open("/proc/self/maps")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	begin := uint64(uintptr(unsafe.Pointer(unsafe.SliceData(data))))
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var from, to uint64
		if _, err := fmt.Sscanf(lines.Text(), "%x-%x", &from, &to); err != nil {
			t.Fatal(err)
		}
		if from <= begin && begin < to {
			if begin+uint64(len(data)) > to {
				t.Errorf("%d bytes at %x go beyond the mapping %x-%x", len(data), begin, from, to)
			}
			return
		}
	}
	t.Errorf("no mapping has %x", begin)
}
