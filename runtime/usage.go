package runtime

import (
	"os"
	"runtime"
	"strconv"
	"strings"

	"weft/runtime/memory"
)

// PeakRSS is the most memory the process has held at once, in bytes; 0 where the system does not tell.
func PeakRSS() int64 {
	if n, ok := procField("/proc/self/status", "VmHWM"); ok {
		return n
	}
	if runtime.GOOS == "darwin" {
		return maxRSS() // bytes there, KiB on other systems
	}
	return maxRSS() * 1024
}

// MemoryLimit is the default for the arrays of a run; see memory.System.
func MemoryLimit() int64 { return memory.System{}.Default() }

// procField reads a line such as "VmHWM:  1234 kB" of a file under /proc, in bytes.
func procField(path, name string) (int64, bool) {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(text)) {
		rest, ok := strings.CutPrefix(line, name+":")
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
		return n * 1024, err == nil
	}
	return 0, false
}
