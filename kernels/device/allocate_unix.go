//go:build unix

package device

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// allocate maps anonymous zero pages outside the Go heap. Large memory is made of whole huge pages: the small ones that would
// be left at both ends cost more to touch first than all the huge ones between them.
func allocate(bytes int) ([]byte, error) {
	if bytes >= HugePage {
		return mapHuge((bytes + HugePage - 1) / HugePage * HugePage)
	}
	return mapPages(bytes)
}

// mapHuge maps whole huge pages.
func mapHuge(bytes int) ([]byte, error) {
	all, err := mapPages(bytes + HugePage)
	if err != nil {
		return nil, err
	}
	first := -int(uintptr(unsafe.Pointer(unsafe.SliceData(all)))) & (HugePage - 1)
	data := all[first : first+bytes : first+bytes]
	for _, rest := range [][]byte{all[:first], all[first+bytes:]} {
		if err := unmap(rest); err != nil {
			return nil, err
		}
	}
	adviseHuge(data)
	return data, nil
}

func mapPages(bytes int) ([]byte, error) {
	p, err := unix.MmapPtr(-1, 0, nil, uintptr(bytes), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return nil, err
	}
	return unsafe.Slice((*byte)(p), bytes), nil
}

// unmap gives pages back.
func unmap(data []byte) error {
	if len(data) == 0 {
		return nil
	}
	return unix.MunmapPtr(unsafe.Pointer(unsafe.SliceData(data)), uintptr(len(data)))
}
