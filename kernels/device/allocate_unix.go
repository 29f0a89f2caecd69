//go:build unix

package device

import "golang.org/x/sys/unix"

// hugeFrom is the size from which huge pages are worth asking for.
const hugeFrom = 4 << 20

// allocate maps anonymous zero pages outside the Go heap.
func allocate(bytes int) (data []byte, release func() error, err error) {
	data, err = unix.Mmap(-1, 0, bytes, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return nil, nil, err
	}
	if bytes >= hugeFrom {
		adviseHuge(data)
	}
	return data, func() error { return unix.Munmap(data) }, nil
}
