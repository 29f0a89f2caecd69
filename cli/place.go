package cli

import (
	"context"
	"fmt"

	"weft/kernels/device"
	"weft/planner"
)

// place compiles the plan for the host, where there are accelerators to weigh against it, and places its kernels again: how long the host takes
// is known much better once they are compiled. What does not compile is left to the run, which says so.
func (f planFlags) place(ctx context.Context, s *streams, m machine, p *planner.Plan) error {
	if len(m.accelerators) == 0 {
		return nil
	}
	if err := p.Compile(ctx, m.devices[0], f.threads(), device.Options{Describe: f.isa != ""}); err != nil {
		return ctx.Err()
	}
	model, _, err := m.model(f.threads())
	if err != nil {
		return err
	}
	return planner.Place(p, m.models(), planner.Placing{Device: f.Device, Cost: model})
}

// unplaced names the kernels that stay on the host although the run is asked to be elsewhere.
func (f planFlags) unplaced(s *streams, p *planner.Plan) {
	for _, step := range p.Steps {
		if step.Kernel != nil && step.Kernel.Place.Refused != "" {
			fmt.Fprintf(s.err, "weft: %s (%s) is not on %s: %s\n", step.ID, step.Name, f.Device, step.Kernel.Place.Refused)
		}
	}
}
