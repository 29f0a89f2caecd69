// Package words sees memory as elements and turns their bytes round: what codecs of array files share.
package words

import (
	"encoding/binary"
	"math/bits"
	"unsafe"
)

// HostBigEndian reports a machine that keeps the most significant byte first.
var HostBigEndian = binary.NativeEndian.Uint16([]byte{0, 1}) == 1

// View is b seen as elements of T. b must be aligned for T.
func View[T any](b []byte) []T {
	if len(b) == 0 {
		return nil
	}
	var t T
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(t)))
}

// Raw is s seen as bytes.
func Raw[T any](s []T) []byte {
	if len(s) == 0 {
		return nil
	}
	var t T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(t)))
}

// Aligned says whether b begins at a multiple of size, a power of two. Elements of 16 bytes are pairs of 8.
func Aligned(b []byte, size int) bool {
	return len(b) == 0 || uintptr(unsafe.Pointer(unsafe.SliceData(b)))%uintptr(min(size, 8)) == 0
}

// Bytes is a buffer of zeros that begins at a multiple of 8.
func Bytes(n int) []byte { return Raw(make([]uint64, (n+7)/8))[:n] }

// Resized is a buffer of n bytes, aligned like Bytes: b where it is large enough, with what it held.
func Resized(b []byte, n int) []byte {
	if cap(b) >= n {
		return b[:n]
	}
	return Bytes(n)
}

// Swap reverses the bytes of each word of b, which is aligned for it. Words of 0 or 1 bytes stay as they are.
func Swap(b []byte, word int) {
	switch word {
	case 2:
		for i, w := range View[uint16](b) {
			View[uint16](b)[i] = bits.ReverseBytes16(w)
		}
	case 4:
		for i, w := range View[uint32](b) {
			View[uint32](b)[i] = bits.ReverseBytes32(w)
		}
	case 8:
		for i, w := range View[uint64](b) {
			View[uint64](b)[i] = bits.ReverseBytes64(w)
		}
	}
}
