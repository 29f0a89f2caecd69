//go:build unix

package npy

import "syscall"

func mapFile(fd uintptr, size int) (data []byte, unmap func() error, err error) {
	data, err = syscall.Mmap(int(fd), 0, size, syscall.PROT_READ, syscall.MAP_SHARED)
	return data, func() error { return syscall.Munmap(data) }, err
}
