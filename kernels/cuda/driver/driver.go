//go:build cuda

package driver

// #cgo LDFLAGS: -L${SRCDIR}/lib -ldl
// #include "driver.h"
import "C"

import (
	"errors"
	"fmt"
	"strings"
	"sync"
)

// Library is the driver's file name.
const Library = "libcuda.so.1"

var open = sync.OnceValue(func() error {
	var why [256]C.char
	var missing [128]C.char
	code := C.weft_cu_open(&why[0], C.int(len(why)), &missing[0], C.int(len(missing)))
	reason := C.GoString(&why[0])
	switch {
	case code == 0:
		return nil
	case code < 0 && strings.Contains(reason, "No such file"):
		return errors.New(Library + " not found")
	case code < 0:
		return errors.New(reason)
	case C.GoString(&missing[0]) != "":
		return fmt.Errorf("the driver is too old: it has no %s", C.GoString(&missing[0]))
	default:
		return fmt.Errorf("the driver cannot start: cuInit gives %d%s", int(code), meaning[int(code)])
	}
})

// meaning explains what cuInit answers most often.
var meaning = map[int]string{
	3:   " (not initialised)",
	100: " (no GPU)",
	101: " (no such GPU)",
	802: " (the system is not ready; is the fabric manager running?)",
	803: " (driver and kernel module do not match; restart the machine after an update)",
	804: " (the driver is too old for the forward-compatible library)",
	999: " (unknown; is the kernel module loaded?)",
}

// Open finds and starts the driver, once. The error says, for people, why there is none.
func Open() error { return open() }
