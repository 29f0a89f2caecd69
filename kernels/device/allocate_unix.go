//go:build unix

package device

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// hugePage is the size of a huge page where there are any; memory of fewer bytes than one does without.
const hugePage = 2 << 20

// allocate maps anonymous zero pages outside the Go heap. Large memory is made of whole huge pages: the small ones that would
// be left at both ends cost more to touch first than all the huge ones between them.
func allocate(bytes int) (data []byte, release func() error, err error) {
	size := bytes
	if bytes >= hugePage {
		size = (bytes+hugePage-1)/hugePage*hugePage + hugePage
	}
	mapped, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return nil, nil, err
	}
	data = mapped
	if bytes >= hugePage {
		first := -int(uintptr(unsafe.Pointer(unsafe.SliceData(mapped)))) & (hugePage - 1)
		data = mapped[first : first+size-hugePage]
		adviseHuge(data)
	}
	return data[:bytes:bytes], func() error { return unix.Munmap(mapped) }, nil
}
