//go:build !unix

package device

import (
	"fmt"
	"unsafe"
)

// allocate takes a zeroed slice from the Go heap, which does not move, and aligns its start to 64 bytes.
func allocate(bytes int) (data []byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("allocating: %v", r)
		}
	}()
	raw := make([]byte, bytes+64)
	skip := int(-uintptr(unsafe.Pointer(unsafe.SliceData(raw))) & 63)
	return raw[skip : skip+bytes : skip+bytes], nil
}

// unmap leaves memory to the garbage collector.
func unmap([]byte) error { return nil }
