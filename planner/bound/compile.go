package bound

import (
	"context"
	"slices"
	"strings"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/planner/plan"
)

// slowness is how much longer than plan.Rates predict a kind of device takes, roughly and at worst: tiles are cut by it.
var slowness = map[string]float64{"interp": 1000}

// Compile makes all the plan's kernels ready on a device, in one go, and fits the tiles to what the compiled code likes.
func (p *Plan) Compile(ctx context.Context, dev device.Device, threads int, opt device.Options) error {
	var ks []*Kernel
	for _, s := range p.Kernels() {
		ks = append(ks, s.Kernel)
	}
	defer p.SumPredictions()
	return Compile(ctx, dev, threads, opt, ks)
}

// Compile is Plan.Compile for some kernels of a plan. They then belong to that device.
func Compile(ctx context.Context, dev device.Device, threads int, opt device.Options, kernels []*Kernel) error {
	if len(kernels) == 0 {
		return nil
	}
	bodies := make([]*ir.Kernel, len(kernels))
	for i, k := range kernels {
		bodies[i] = k.IR
	}
	programs, err := dev.Compile(ctx, bodies, opt)
	if err != nil {
		return err
	}
	for i, k := range kernels {
		k.adopt(programs[i], dev.Info(), threads)
	}
	return nil
}

// adopt records how a device compiled the kernel.
func (k *Kernel) adopt(program device.Program, dev device.Info, threads int) {
	r := program.Report()
	k.Program, k.Device = program, dev.Name
	k.Schedule, k.Tuned, k.Tables, k.Source = r.Schedule, r.Tuned, r.Tables, r.Source
	k.Loads = nil
	for name, n := range r.Loads {
		k.Loads = append(k.Loads, plan.Count{Name: name, N: n})
	}
	slices.SortFunc(k.Loads, func(a, b plan.Count) int { return strings.Compare(a.Name, b.Name) })
	k.Kind, k.slow = dev.Kind, slowness[dev.Kind]
	k.predict(0, &r)
	k.setTiles(program.Step(), threads)
	k.Predict()
	k.retune()
}
