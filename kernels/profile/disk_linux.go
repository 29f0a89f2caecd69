package profile

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// openUncached opens a file so that reads go to the disk; where the file system refuses, what it has cached is dropped.
func openUncached(path string) (*os.File, error) {
	if fd, err := unix.Open(path, unix.O_RDONLY|unix.O_DIRECT|unix.O_CLOEXEC, 0); err == nil {
		return os.NewFile(uintptr(fd), path), nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if err := unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// aligned is a slice that starts on a page, as reads past the cache need.
func aligned(n int) []byte {
	const page = 4096
	raw := make([]byte, n+page)
	skip := int(-uintptr(unsafe.Pointer(unsafe.SliceData(raw))) & (page - 1))
	return raw[skip : skip+n]
}
