//go:build !linux

package profile

import "runtime"

// MissingCUDA says why there is no CUDA device.
func MissingCUDA() string { return "weft drives CUDA on Linux only, not on " + runtime.GOOS }
