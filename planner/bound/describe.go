package bound

import (
	"fmt"

	"weft/kernels/device"
)

// Describe asks the accelerators that kernels are placed on how they would run them: schedule, source, and what the code takes of
// the device. The first of several devices answers for all of them that share a kernel. Devices that cannot tell are left out.
func (p *Plan) Describe(devices []device.Device) error {
	byName := map[string]device.Device{}
	for _, d := range devices {
		byName[d.Info().Name] = d
	}
	for _, s := range p.Steps {
		if s.Kernel == nil || !s.Kernel.Place.Accelerates() {
			continue
		}
		d, ok := byName[s.Kernel.Place.Devices[0]].(device.Describer)
		if !ok {
			continue
		}
		r, err := d.Describe(s.Kernel.IR)
		if err != nil {
			return fmt.Errorf("%s on %s: %w", s.ID, s.Kernel.Place.Devices[0], err)
		}
		s.Kernel.Described = &r
	}
	return nil
}
