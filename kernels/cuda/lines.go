//go:build cuda

package cuda

import (
	"unsafe"

	"gorgonia.org/cu"
)

// rectangle is a CUDA_MEMCPY2D: copies of lines, each side a pitch apart. (cu's own reads an array that is not there.)
type rectangle struct {
	from, to      side
	width, height uintptr
}

type side struct {
	x, y   uintptr
	kind   int32
	_      int32
	host   unsafe.Pointer
	device uint64
	array  uintptr
	pitch  uintptr
}

// Of CUmemorytype.
const (
	inHost   = 1
	inDevice = 2
)

func hostSide(at unsafe.Pointer, pitch int) side {
	return side{kind: inHost, host: at, pitch: uintptr(pitch)}
}

func deviceSide(at cu.DevicePtr, pitch int64) side {
	return side{kind: inDevice, device: uint64(at), pitch: uintptr(pitch)}
}

// copyLines puts a copy on a stream; the memory of the host is pinned by the caller.
func (x *extra) copyLines(r rectangle, s cu.Stream) error {
	return check("cuMemcpy2DAsync", x.copy2D(&r, unsafe.Pointer(s.C())))
}
