package tiff

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

// aligned says whether b begins at a multiple of size, a power of two.
func aligned(b []byte, size int) bool {
	return len(b) == 0 || uintptr(unsafe.Pointer(unsafe.SliceData(b)))%uintptr(size) == 0
}

// alignedBytes is a buffer of zeros that begins at a multiple of 8.
func alignedBytes(n int) []byte { return raw(make([]uint64, (n+7)/8))[:n] }

// resized is a buffer of n bytes, aligned like alignedBytes: b where it is large enough, with what it held.
func resized(b []byte, n int) []byte {
	if cap(b) >= n {
		return b[:n]
	}
	return alignedBytes(n)
}

// swap reverses the bytes of each word of b, which is aligned for it. Words of one byte stay as they are.
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
