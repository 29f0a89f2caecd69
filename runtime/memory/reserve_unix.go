//go:build unix

package memory

import "golang.org/x/sys/unix"

// reserve maps zero pages that take memory once they are touched.
func reserve(bytes int) ([]byte, error) {
	data, err := unix.Mmap(-1, 0, bytes, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE|withoutSwap)
	if err == nil {
		adviseSmall(data)
	}
	return data, err
}

// hugeFrom is the size of an array from which huge pages are worth what they take beyond the rows that are there.
const hugeFrom = 32 << 20

func giveBack(data []byte) error { return unix.Munmap(data) }
