package device

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// Populate gives memory its pages before anything is stored there, one huge page after the other, until ended says so. What the
// memory holds stays. A kernel that cannot (before Linux 5.14) says no: then the first store does it, as ever.
func Populate(data []byte, ended func() bool) {
	if len(data) == 0 {
		return
	}
	page := unix.Getpagesize()
	first := int(uintptr(unsafe.Pointer(unsafe.SliceData(data))))
	at, end := -first&(page-1), len(data)-(first+len(data))&(page-1)
	for at < end && !ended() {
		next := min(end, at+HugePage-(first+at)&(HugePage-1))
		if unix.Madvise(data[at:next], unix.MADV_POPULATE_WRITE) != nil {
			return
		}
		at = next
	}
}
