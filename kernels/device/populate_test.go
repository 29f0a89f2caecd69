//go:build linux

package device

import (
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"weft/kernels/ir"
)

func resident(t *testing.T, data []byte) (n, of int) {
	t.Helper()
	page := unix.Getpagesize()
	first := -int(uintptr(unsafe.Pointer(unsafe.SliceData(data)))) & (page - 1)
	whole := data[first : first+(len(data)-first)/page*page]
	in := make([]byte, len(whole)/page)
	if _, _, e := unix.Syscall(unix.SYS_MINCORE, uintptr(unsafe.Pointer(&whole[0])), uintptr(len(whole)), uintptr(unsafe.Pointer(&in[0]))); e != 0 {
		t.Fatal(e)
	}
	for _, p := range in {
		n += int(p & 1)
	}
	return n, len(in)
}

func TestPopulateKeepsWhatIsThere(t *testing.T) {
	m, err := NewHostMemory(&ir.Buffer{Name: "b", Type: ir.F32, Shape: []int{3 << 20}})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Free()
	data := m.Host()
	data[5] = 42
	before, of := resident(t, data)
	if before == of {
		t.Fatalf("all %d pages are there before anything is stored", of)
	}
	calls := 0
	Populate(data, func() bool { calls++; return calls > 2 })
	some, _ := resident(t, data)
	Populate(data, func() bool { return false })
	all, _ := resident(t, data)
	if unix.Madvise(data[-int(uintptr(unsafe.Pointer(unsafe.SliceData(data))))&(unix.Getpagesize()-1):][:unix.Getpagesize()], unix.MADV_POPULATE_WRITE) != nil {
		t.Skip("this kernel cannot populate memory (before Linux 5.14)")
	}
	if some >= of || all != of {
		t.Errorf("%d of %d pages after two steps, %d after all", some, of, all)
	}
	if data[5] != 42 || data[6] != 0 {
		t.Error("the memory changed")
	}
}

func TestPopulateOfLittle(t *testing.T) {
	Populate(nil, func() bool { return false })
	Populate(make([]byte, 100), func() bool { return false })
}
