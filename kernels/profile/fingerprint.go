package profile

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"weft/kernels/device"
)

// Fingerprint is what a profile holds for: on another machine, or after a change to this one, it is measured again.
type Fingerprint struct {
	CPU    string `yaml:"cpu" json:"cpu"`
	Flags  string `yaml:"flags" json:"flags"` // digest of the processor's feature list
	Cores  int    `yaml:"cores" json:"cores"`
	RAM    int64  `yaml:"ram" json:"ram"` // GiB, rounded: firmware takes a little more or less of it
	System string `yaml:"system" json:"system"`
	Device string `yaml:"device" json:"device"` // compiler, its version, instruction set
}

// FingerprintOf the machine and the device that would run its kernels.
func FingerprintOf(dev device.Info) Fingerprint {
	f := Fingerprint{CPU: runtime.GOARCH, Cores: runtime.GOMAXPROCS(0), Device: dev.Kind + ": " + dev.Detail,
		System: runtime.GOOS + " " + firstLine("/proc/sys/kernel/osrelease")}
	cpu := fields("/proc/cpuinfo")
	if m := cpu["model name"]; m != "" {
		f.CPU = m
	}
	for _, name := range []string{"flags", "Features"} {
		if v := cpu[name]; v != "" {
			list := strings.Fields(v)
			slices.Sort(list)
			sum := sha256.Sum256([]byte(strings.Join(list, " ")))
			f.Flags = hex.EncodeToString(sum[:6])
		}
	}
	if kb, err := strconv.ParseInt(strings.TrimSuffix(fields("/proc/meminfo")["MemTotal"], " kB"), 10, 64); err == nil {
		f.RAM = (kb + 1<<19) >> 20
	}
	return f
}

// fields reads "name : value" lines up to the first empty one; a file that is not there has none.
func fields(path string) map[string]string {
	out := map[string]string{}
	text, err := os.ReadFile(path)
	if err != nil {
		return out
	}
	for line := range strings.Lines(string(text)) {
		name, value, ok := strings.Cut(line, ":")
		if !ok {
			break
		}
		out[strings.TrimSpace(name)] = strings.TrimSpace(value)
	}
	return out
}

func firstLine(path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	line, _, _ := strings.Cut(string(text), "\n")
	return line
}

// cacheSize is the size of the data cache of a level in bytes, or what is usual where the system does not tell.
func cacheSize(level string, usual int64) int64 {
	for i := range 8 {
		dir := "/sys/devices/system/cpu/cpu0/cache/index" + strconv.Itoa(i) + "/"
		if firstLine(dir+"level") != level || firstLine(dir+"type") == "Instruction" {
			continue
		}
		if kb, err := strconv.ParseInt(strings.TrimSuffix(firstLine(dir+"size"), "K"), 10, 64); err == nil {
			return kb << 10
		}
	}
	return usual
}
