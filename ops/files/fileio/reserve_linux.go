package fileio

import (
	"errors"
	"os"
	"syscall"
)

func reserve(f *os.File, size int64) error {
	if size == 0 {
		return nil
	}
	err := syscall.Fallocate(int(f.Fd()), 0, 0, size)
	// Some file systems (NFS, FUSE) cannot set space aside; a sparse file of that size is the next best.
	if errors.Is(err, errors.ErrUnsupported) {
		return f.Truncate(size)
	}
	return err
}
