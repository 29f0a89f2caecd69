package planner

import (
	"context"
	"slices"
	"strings"

	"weft/kernels/device"
	"weft/kernels/ir"
)

// Compile makes the plan's kernels ready on a device, all in one go, and fits the tiles to what the compiled code likes.
func (p *Plan) Compile(ctx context.Context, dev device.Device, threads int, opt device.Options) error {
	var ks []*ir.Kernel
	var plans []*Kernel
	for i := range p.Steps {
		if k := p.Steps[i].Kernel; k != nil {
			ks = append(ks, k.Ir)
			plans = append(plans, k)
		}
	}
	if len(ks) == 0 {
		return nil
	}
	programs, err := dev.Compile(ctx, ks, opt)
	if err != nil {
		return err
	}
	for i, k := range plans {
		k.Program = programs[i]
		r := programs[i].Report()
		k.Schedule, k.Tuned, k.Tables, k.Source = r.Schedule, r.Tuned, r.Tables, r.Source
		k.Loads = nil
		for name, n := range r.Loads {
			k.Loads = append(k.Loads, Count{name, n})
		}
		slices.SortFunc(k.Loads, func(a, b Count) int { return strings.Compare(a.Name, b.Name) })
		k.setTiles(cut(k.Ir, programs[i].Step(), k.Predicted*1e-3, threads))
	}
	return nil
}
