package cli

import (
	"context"
	"fmt"

	"weft/kernels/device"
	"weft/planner"
)

// place compiles the plan for the host, where there are accelerators to weigh against it, and places its kernels again: how long the host takes
// is known much better once they are compiled. What does not compile is left to the run, which says so. Kernels that stay on the host although the
// run was asked to be elsewhere are named.
func (f planFlags) place(ctx context.Context, s *streams, m machine, p *planner.Plan) error {
	if len(m.accelerators) == 0 {
		return nil
	}
	if err := p.Compile(ctx, m.devices[0], f.threads(), device.Options{}); err != nil {
		return ctx.Err()
	}
	model, _, err := m.model(f.threads())
	if err != nil {
		return err
	}
	if err := planner.Place(p, m.models(), planner.Placing{Device: f.Device, Cost: model}); err != nil {
		return err
	}
	for _, step := range p.Steps {
		if f.Device != "" && f.Device != hostOnly && step.Kernel != nil && !step.Kernel.Place.Accelerates() {
			fmt.Fprintf(s.err, "weft: %s (%s) is not on %s: %s\n", step.ID, step.Name, f.Device, step.Kernel.Place.Why)
		}
	}
	return nil
}
