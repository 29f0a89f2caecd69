package cuda

import (
	"os"

	"weft/kernels/ir"
	"weft/kernels/schedule"
)

// Config of the devices. The zero value means the defaults everywhere.
type Config struct {
	Cache string // folder for compiled kernels; empty: weft in the user's cache folder
	// Schedules gives the schedules to try for a kernel, in order; nil: the rules' own.
	Schedules func(*ir.Kernel) []schedule.CUDA
}

// FromEnv reads WEFT_CACHE. (WEFT_NVRTC, see package nvrtc, names the compiler's library.)
func FromEnv() Config { return Config{Cache: os.Getenv("WEFT_CACHE")} }
