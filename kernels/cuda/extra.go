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

// portable page-locked memory is so for all contexts.
const portable = 1

// extra is what cu does not bind.
type extra struct {
	hostAlloc func(p *unsafe.Pointer, n uintptr, flags uint32) int32
	hostFree  func(p unsafe.Pointer) int32
	copy2D    func(r *rectangle, stream unsafe.Pointer) int32
	graphs    *graphs // nil: the driver has none
}

func openExtra() (*extra, error) {
	lib, err := purego.Dlopen(driver.Library, purego.RTLD_NOW|purego.RTLD_GLOBAL)
	if err != nil {
		return nil, err
	}
	e := &extra{graphs: openGraphs(lib)}
	for _, f := range []struct {
		symbol string
		to     any
	}{{"cuMemHostAlloc", &e.hostAlloc}, {"cuMemFreeHost", &e.hostFree}, {"cuMemcpy2DAsync_v2", &e.copy2D}} {
		address, err := purego.Dlsym(lib, f.symbol)
		if err != nil {
			return nil, fmt.Errorf("the driver is too old: it has no %s", f.symbol)
		}
		purego.RegisterFunc(f.to, address)
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
