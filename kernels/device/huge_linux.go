package device

import "golang.org/x/sys/unix"

// adviseHuge asks for huge pages. A kernel without them says no, which costs speed only.
func adviseHuge(data []byte) { _ = unix.Madvise(data, unix.MADV_HUGEPAGE) }
