//go:build cuda

package cuda

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/ebitengine/purego"

	"weft/kernels/cuda/driver"
)

// driverError is what a function that cu does not bind answers.
type driverError struct {
	call string
	code int32
}

func (e *driverError) Error() string { return fmt.Sprintf("%s gives %d", e.call, e.code) }

func check(call string, code int32) error {
	if code == 0 {
		return nil
	}
	return &driverError{call, code}
}

// property is a CUmemAllocationProp, access a CUmemAccessDesc: page-aligned memory of a device, read and written by it.
type property struct {
	kind          int32
	_             int32 // handles to share it by: none
	place, number int32
	_             uintptr // for Windows
	_             [8]uint8
}

type access struct{ place, number, flags int32 }

const (
	portable    = 1 // page-locked memory is so for all contexts
	pinnedPages = 1 // CU_MEM_ALLOCATION_TYPE_PINNED
	onDevice    = 1 // CU_MEM_LOCATION_TYPE_DEVICE
	readWrite   = 3 // CU_MEM_ACCESS_FLAGS_PROT_READWRITE
)

// extra is what cu does not bind.
type extra struct {
	hostAlloc func(p *unsafe.Pointer, n uintptr, flags uint32) int32
	hostFree  func(p unsafe.Pointer) int32
	copy2D    func(r *rectangle, stream unsafe.Pointer) int32

	// Virtual memory, from CUDA 10.2 on; pages says that all of it is there.
	pages       bool
	granularity func(n *uintptr, p *property, option int32) int32
	reserve     func(at *uint64, size, alignment uintptr, wish, flags uint64) int32
	unreserve   func(at uint64, size uintptr) int32
	create      func(handle *uint64, size uintptr, p *property, flags uint64) int32
	release     func(handle uint64) int32
	mapAt       func(at uint64, size, offset uintptr, handle, flags uint64) int32
	unmap       func(at uint64, size uintptr) int32
	setAccess   func(at uint64, size uintptr, a *access, n uintptr) int32
}

func openExtra() (*extra, error) {
	lib, err := purego.Dlopen(driver.Library, purego.RTLD_NOW|purego.RTLD_GLOBAL)
	if err != nil {
		return nil, err
	}
	e := &extra{pages: true}
	for _, f := range []struct {
		symbol string
		to     any
		needed bool
	}{
		{"cuMemHostAlloc", &e.hostAlloc, true}, {"cuMemFreeHost", &e.hostFree, true}, {"cuMemcpy2DAsync_v2", &e.copy2D, true},
		{"cuMemGetAllocationGranularity", &e.granularity, false},
		{"cuMemAddressReserve", &e.reserve, false}, {"cuMemAddressFree", &e.unreserve, false},
		{"cuMemCreate", &e.create, false}, {"cuMemRelease", &e.release, false},
		{"cuMemMap", &e.mapAt, false}, {"cuMemUnmap", &e.unmap, false}, {"cuMemSetAccess", &e.setAccess, false},
	} {
		address, err := purego.Dlsym(lib, f.symbol)
		switch {
		case err == nil:
			purego.RegisterFunc(f.to, address)
		case f.needed:
			return nil, fmt.Errorf("the driver is too old: it has no %s", f.symbol)
		default:
			e.pages = false
		}
	}
	return e, nil
}

// Pin lends page-locked host memory.
func (d *Device) Pin(bytes int) (data []byte, free func(), err error) {
	if bytes < 1 {
		return nil, nil, fmt.Errorf("%s: %d bytes of page-locked memory", d.info.Name, bytes)
	}
	var p unsafe.Pointer
	err = d.with(func() error { return check("cuMemHostAlloc", d.extra.hostAlloc(&p, uintptr(bytes), portable)) })
	if err == nil && p == nil {
		err = errors.New("cuMemHostAlloc gives no memory")
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %d bytes of page-locked memory: %w", d.info.Name, bytes, err)
	}
	return unsafe.Slice((*byte)(p), bytes), func() {
		// A lost device's page-locked memory goes with the process.
		_ = d.with(func() error { return check("cuMemFreeHost", d.extra.hostFree(p)) })
	}, nil
}
