package usage

import (
	"runtime"

	"weft/runtime/memory"
)

// PeakRSS is the most memory the process has held at once, in bytes; 0 where the system does not tell.
func PeakRSS() int64 {
	if n, ok := (memory.System{}).Field("/proc/self/status", "VmHWM"); ok {
		return n
	}
	if runtime.GOOS == "darwin" {
		return maxRSS() // bytes there, KiB on other systems
	}
	return maxRSS() * 1024
}
