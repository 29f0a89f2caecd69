//go:build cuda

package cuda

import (
	"fmt"

	"gorgonia.org/cu"

	"weft/kernels/cuda/launch"
	"weft/kernels/cuda/nvrtc"
	"weft/kernels/device"
	"weft/kernels/ir"
)

var _ device.Describer = (*Device)(nil)

// resources asks the driver what a loaded kernel takes.
func resources(f cu.Function, target nvrtc.Target) (r device.Resources, err error) {
	for _, a := range []struct {
		attribute cu.FunctionAttribute
		to        *int
	}{{cu.NumRegs, &r.Registers}, {cu.SharedSizeBytes, &r.Shared}, {cu.LocalSizeBytes, &r.Spill}} {
		if *a.to, err = f.Attribute(a.attribute); err != nil {
			return r, fmt.Errorf("attribute %d of a function: %w", a.attribute, err)
		}
	}
	r.Architecture = fmt.Sprintf("sm_%d", target.Capability)
	return r, nil
}

// Describe says how the GPU would run a kernel.
func (d *Device) Describe(k *ir.Kernel) (device.Report, error) {
	code, err := launch.For(d.info, k, d.schedules)
	if err != nil {
		return device.Report{}, err
	}
	return code.Described(d.target.Capability)
}
