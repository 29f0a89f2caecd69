//go:build !darwin && !linux

package native

import (
	"fmt"
	"runtime"
)

func load(object, symbol string) (uintptr, error) {
	return 0, fmt.Errorf("native: loading compiled kernels is not supported on %s", runtime.GOOS)
}

func invoke(function, argument uintptr) int32 {
	panic("native: nothing can have been loaded")
}
