package launch

import (
	"fmt"
	"slices"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/region"
)

// Program is compiled code on a device: what devices that run CUDA have in common.
type Program struct {
	Code      *Code
	Owner     device.Device // whose memory it takes
	Run       func(b *Bound, t region.Region) error
	Resources device.Resources
	Cached    bool
}

var _ device.Program = (*Program)(nil)

// Kernel is what was compiled.
func (p *Program) Kernel() *ir.Kernel { return p.Code.Kernel }

// Step is what a block covers.
func (p *Program) Step() []int { return slices.Clone(p.Code.Out.Step) }

// Report describes the schedule and the CUDA source.
func (p *Program) Report() device.Report {
	r := p.Code.Report()
	r.Cached, r.Resources = p.Cached, p.Resources
	return r
}

// Bind returns the launch.
func (p *Program) Bind(b device.Bindings) (func(region.Region) error, error) {
	name := p.Owner.Info().Name
	bound, err := p.Code.Bind(p.Owner, b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return func(t region.Region) error {
		if err := p.Run(bound, t); err != nil {
			return fmt.Errorf("%s: kernel %s: %w", name, p.Code.Kernel.Name, err)
		}
		return nil
	}, nil
}
