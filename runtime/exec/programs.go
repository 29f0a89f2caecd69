package exec

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"weak"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/planner/bound"
)

// Programs are the kernels of plans, as far as they are compiled, each on one of the host's devices. What becomes of a plan that is gone goes with it: a
// session may make thousands. The zero value holds none.
type Programs struct {
	mu sync.Mutex
	of map[weak.Pointer[bound.Kernel]]device.Program
}

// Of is the program of a kernel; nil: it is not compiled.
func (p *Programs) Of(k *bound.Kernel) device.Program {
	if p == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.of[weak.Make(k)]
}

func (p *Programs) set(k *bound.Kernel, to device.Program) {
	key := weak.Make(k)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.of == nil {
		p.of = map[weak.Pointer[bound.Kernel]]device.Program{}
	}
	if p.of[key] == nil {
		runtime.AddCleanup(k, p.forget, key)
	}
	p.of[key] = to
}

func (p *Programs) forget(k weak.Pointer[bound.Kernel]) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.of, k)
}

// Compile makes kernels ready on a device, in one go, and fits their tiles to what the compiled code likes. They then belong to that device.
func (p *Programs) Compile(ctx context.Context, dev device.Device, threads int, opt device.Options, kernels []*bound.Kernel) error {
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
		p.set(k, programs[i])
		k.Compiled(dev.Info(), programs[i].Report(), programs[i].Step(), threads)
	}
	return nil
}

// CompilePlan is Compile for all kernels of a plan.
func (p *Programs) CompilePlan(ctx context.Context, dev device.Device, threads int, opt device.Options, of *bound.Plan) error {
	var kernels []*bound.Kernel
	for _, s := range of.Kernels() {
		kernels = append(kernels, s.Kernel)
	}
	defer of.SumPredictions()
	return p.Compile(ctx, dev, threads, opt, kernels)
}

// Describe asks the accelerators that kernels are placed on how they would run them: schedule, source, and what the code takes of
// the device. The first of several devices answers for all of them that share a kernel. Devices that cannot tell are left out.
func Describe(p *bound.Plan, devices []device.Device) error {
	byName := map[string]device.Device{}
	for _, d := range devices {
		byName[d.Info().Name] = d
	}
	for _, s := range p.Kernels() {
		if !s.Kernel.Place.Accelerates() {
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
