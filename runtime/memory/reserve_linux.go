package memory

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// adviseHuge asks for huge pages. A kernel without them says no, which costs speed only.
func adviseHuge(data []byte) { _ = unix.Madvise(data, unix.MADV_HUGEPAGE) }

// adviseSmall asks for pages of the usual size.
func adviseSmall(data []byte) { _ = unix.Madvise(data, unix.MADV_NOHUGEPAGE) }

// discard gives pages back, which read as zero from then on. They are of a private mapping: nothing can refuse.
func discard(data []byte) {
	if err := unix.Madvise(data, unix.MADV_DONTNEED); err != nil {
		panic("memory: discarding pages: " + err.Error())
	}
}

// withoutSwap keeps the system from counting addresses that are never touched against what it can give.
const withoutSwap = unix.MAP_NORESERVE

// moves says that pages can be moved.
const moves = true

// move moves pages, with what they hold, to other addresses of the same length, in place of what is there. A kernel that cannot (before Linux 5.7) says no.
func move(from, to []byte) bool {
	at := unsafe.Pointer(unsafe.SliceData(to))
	got, err := unix.MremapPtr(unsafe.Pointer(unsafe.SliceData(from)), uintptr(len(from)), at, uintptr(len(to)), unix.MREMAP_MAYMOVE|unix.MREMAP_FIXED|unix.MREMAP_DONTUNMAP)
	return err == nil && got == at
}
