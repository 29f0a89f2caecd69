package report

import (
	"fmt"

	"weft/kernels/device"
)

// resources is what a kernel takes of a GPU, in a line.
func resources(r device.Resources) string {
	switch {
	case r.Architecture == "" && r.Unknown != "":
		return r.Unknown + ": registers unknown"
	case r.Architecture == "":
		return "registers unknown"
	}
	spill := "no spill"
	if r.Spill > 0 {
		spill = fmt.Sprintf("%d B of local memory a thread (spilled registers, scratch of functions)", r.Spill)
	}
	return fmt.Sprintf("%s: %d registers a thread, %d B shared a block, %s", r.Architecture, r.Registers, r.Shared, spill)
}
