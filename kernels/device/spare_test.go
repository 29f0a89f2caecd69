//go:build linux

package device

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"weft/kernels/ir"
)

// mebibytes is an array of so much memory, all of it v, with rows that have padding.
func mebibytes(t *testing.T, n int, v byte) *HostMemory {
	t.Helper()
	m, err := NewHostMemory(&ir.Buffer{Name: "b", Type: ir.F32, Shape: []int{n, 1<<18 - 48}, Pad: ir.Pad{Before: 16, After: 32, Value: 3}})
	if err != nil {
		t.Fatal(err)
	}
	for i := range m.data {
		m.data[i] = v
	}
	return m
}

func mapped(t *testing.T) int64 {
	t.Helper()
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Skip(err)
	}
	pages, err := strconv.ParseInt(strings.Fields(string(text))[0], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return pages * int64(os.Getpagesize())
}

// Arrays of any sizes get the pages of those that were freed, with margins and padding as they should be; what is asked to be zero is.
func TestSparePagesComeBack(t *testing.T) {
	before := mapped(t)
	var s Spare
	for _, n := range []int{5, 3, 9} {
		s.Keep(mebibytes(t, n, 0xA5))
	}
	var taken []Memory
	for _, c := range []struct {
		mebibytes int
		zeroed    bool
		there     bool // all of its pages
	}{{9, true, true}, {7, false, true}, {30, true, false}, {6, false, false}} {
		b := &ir.Buffer{Name: "c", Type: ir.F64, Shape: []int{c.mebibytes, 1<<17 - 12}, Pad: ir.Pad{Before: 4, After: 8}}
		m, err := s.Take(b, c.zeroed)
		if err != nil {
			t.Fatal(err)
		}
		if m == nil {
			if c.mebibytes != 6 { // 20 MiB were spare
				t.Fatalf("%d MiB: nothing is spare", c.mebibytes)
			}
			continue
		}
		taken = append(taken, m)
		if n, of := resident(t, m.pages[:c.mebibytes<<20]); (n == of) != c.there {
			t.Errorf("%d MiB: %d of %d pages are there", c.mebibytes, n, of)
		}
		old := 0
		for i := range b.Cells() {
			v := Float(ir.F64, m.Host(), i)
			if in := i%b.Row() >= 4 && i%b.Row() < b.Row()-8; v != 0 && (!in || c.zeroed) {
				t.Fatalf("%d MiB: cell %d is %g", c.mebibytes, i, v)
			}
			if v != 0 {
				old++
			}
		}
		if (old == 0) != c.zeroed {
			t.Errorf("%d MiB: %d elements are of another array", c.mebibytes, old)
		}
		margin := MarginBytes(b)
		for i := range margin {
			if m.pages[i] != 0 || m.pages[margin+len(m.data)+i] != 0 {
				t.Fatalf("%d MiB: margins are not zero", c.mebibytes)
			}
		}
	}
	for _, m := range taken {
		s.Keep(m)
		s.Keep(m) // as Free, once
	}
	padded, err := s.Take(&ir.Buffer{Name: "d", Type: ir.F32, Shape: []int{4, 1 << 19}, Pad: ir.Pad{Before: 16, After: 16, Value: 7}}, false)
	if err != nil || padded == nil || Float(ir.F32, padded.Host(), 15) != 7 || Float(ir.F32, padded.Host(), 16+1<<19) != 7 {
		t.Errorf("padding of %v: %v", padded, err)
	}
	padded.Free()
	s.Release()
	if m, err := s.Take(&ir.Buffer{Name: "e", Type: ir.F32, Shape: []int{1 << 20}}, false); m != nil || err != nil {
		t.Errorf("%v, %v are left", m, err)
	}
	if left := mapped(t) - before; left > 1<<20 {
		t.Errorf("%d bytes stay mapped", left)
	}
}

// Small arrays and memory of other kinds are freed; a buffer that is too large for anything is an error.
func TestSpareOfOthers(t *testing.T) {
	var s Spare
	defer s.Release()
	small := &ir.Buffer{Name: "s", Type: ir.F32, Shape: []int{100}}
	m, err := NewHostMemory(small)
	if err != nil {
		t.Fatal(err)
	}
	s.Keep(m)
	o := &other{}
	s.Keep(o)
	if m.Host() != nil || !o.freed || len(s.parts) != 0 {
		t.Error("they are not freed")
	}
	s.Keep(mebibytes(t, 4, 1))
	if m, err := s.Take(small, false); m != nil || err != nil {
		t.Errorf("%v, %v of a small array", m, err)
	}
	if _, err := s.Take(&ir.Buffer{Name: "l", Type: ir.F32, Shape: []int{1 << 30, 1 << 30}}, false); err == nil {
		t.Error("a buffer of 4 EiB has memory")
	}
}

type other struct{ freed bool }

func (o *other) Host() []byte { return nil }
func (o *other) Free()        { o.freed = true }
