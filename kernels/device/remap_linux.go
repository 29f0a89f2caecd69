package device

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// gather maps memory of whole huge pages whose first ones are those of parts, with what they hold; they are nowhere else from then on.
func gather(bytes int, parts [][]byte) ([]byte, error) {
	out, err := mapHuge(bytes)
	if err != nil {
		return nil, err
	}
	at := 0
	for _, p := range parts {
		to := unsafe.Pointer(unsafe.SliceData(out[at:]))
		if _, err := unix.MremapPtr(unsafe.Pointer(unsafe.SliceData(p)), uintptr(len(p)), to, uintptr(len(p)), unix.MREMAP_MAYMOVE|unix.MREMAP_FIXED); err != nil {
			return nil, err
		}
		at += len(p)
	}
	return out, nil
}

// gathers says that huge pages can be moved.
const gathers = true
