//go:build darwin || linux

package native

import (
	"fmt"

	"github.com/ebitengine/purego"
)

// load opens a shared object, which stays open, and returns the address of a symbol.
func load(object, symbol string) (uintptr, error) {
	handle, err := purego.Dlopen(object, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return 0, fmt.Errorf("native: cannot load a compiled kernel: %w", err)
	}
	address, err := purego.Dlsym(handle, symbol)
	if err != nil {
		return 0, fmt.Errorf("native: %s has no %s: %w", object, symbol, err)
	}
	return address, nil
}

// invoke calls a function of one pointer, which must stay where it is meanwhile, and returns its int.
func invoke(function, argument uintptr) int32 {
	result, _, _ := purego.SyscallN(function, argument)
	return int32(result)
}
