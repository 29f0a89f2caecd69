//go:build cuda

package cuda

import (
	"errors"
	"fmt"
	"time"
	"unsafe"

	"github.com/ebitengine/purego"

	"weft/kernels/cuda/driver"
)

// copied is where copies in one direction are accounted.
type copied struct {
	bytes *int64
	took  *time.Duration
}

func (c copied) add(n int, took time.Duration) {
	*c.bytes += int64(n)
	*c.took += took
}

// extra is what cu does not bind.
type extra struct {
	hostAlloc func(p *unsafe.Pointer, n uintptr, flags uint32) int32
	hostFree  func(p unsafe.Pointer) int32
}

func openExtra() (*extra, error) {
	lib, err := purego.Dlopen(driver.Library, purego.RTLD_NOW|purego.RTLD_GLOBAL)
	if err != nil {
		return nil, err
	}
	e := &extra{}
	for _, f := range []struct {
		symbol string
		to     any
	}{{"cuMemHostAlloc", &e.hostAlloc}, {"cuMemFreeHost", &e.hostFree}} {
		address, err := purego.Dlsym(lib, f.symbol)
		if err != nil {
			return nil, fmt.Errorf("the driver is too old: it has no %s", f.symbol)
		}
		purego.RegisterFunc(f.to, address)
	}
	return e, nil
}

// portable makes page-locked memory so for all contexts.
const portable = 1

// Pin lends page-locked host memory.
func (d *Device) Pin(bytes int) (data []byte, free func(), err error) {
	if bytes < 1 {
		return nil, nil, fmt.Errorf("%s: %d bytes of page-locked memory", d.info.Name, bytes)
	}
	var p unsafe.Pointer
	err = d.with(func() error {
		if code := d.extra.hostAlloc(&p, uintptr(bytes), portable); code != 0 {
			return fmt.Errorf("cuMemHostAlloc gives %d", code)
		}
		return nil
	})
	if err == nil && p == nil {
		err = errors.New("cuMemHostAlloc gives no memory")
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %d bytes of page-locked memory: %w", d.info.Name, bytes, err)
	}
	return unsafe.Slice((*byte)(p), bytes), func() {
		// A lost device's page-locked memory goes with the process.
		_ = d.with(func() error { d.extra.hostFree(p); return nil })
	}, nil
}
