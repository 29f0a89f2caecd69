package npy

import (
	"encoding/binary"
	"math/bits"
	"unsafe"
)

var hostBigEndian = binary.NativeEndian.Uint16([]byte{0, 1}) == 1

// view is b seen as elements of T. b must be aligned for T.
func view[T any](b []byte) []T {
	if len(b) == 0 {
		return nil
	}
	var t T
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(t)))
}

// raw is s seen as bytes.
func raw[T any](s []T) []byte {
	if len(s) == 0 {
		return nil
	}
	var t T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(t)))
}

// aligned says whether b begins at a multiple of size, a power of two. Elements of 16 bytes are pairs of 8.
func aligned(b []byte, size int) bool {
	return len(b) == 0 || uintptr(unsafe.Pointer(unsafe.SliceData(b)))%uintptr(min(size, 8)) == 0
}

// alignedBytes is a buffer that begins at a multiple of 8.
func alignedBytes(n int) []byte { return raw(make([]uint64, (n+7)/8))[:n] }

// swap reverses the bytes of each word of b, which is aligned for it. Words of 0 or 1 bytes stay as they are.
func swap(b []byte, word int) {
	switch word {
	case 2:
		for i, w := range view[uint16](b) {
			view[uint16](b)[i] = bits.ReverseBytes16(w)
		}
	case 4:
		for i, w := range view[uint32](b) {
			view[uint32](b)[i] = bits.ReverseBytes32(w)
		}
	case 8:
		for i, w := range view[uint64](b) {
			view[uint64](b)[i] = bits.ReverseBytes64(w)
		}
	}
}
