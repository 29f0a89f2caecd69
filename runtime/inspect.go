package runtime

import (
	"context"
	"maps"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/ops"
	"weft/planner/bound"
	"weft/runtime/audit"
	"weft/runtime/exec"
)

// Inspection is a kernel that just ran, while all its arrays are in memory. Inspectors may read the arrays, and write none.
type Inspection struct {
	Plan      *bound.Plan
	Step      *bound.Step
	Stored    []audit.Array // what the kernel stored
	Reference *audit.Reference
	Mem       map[*ir.Buffer]device.Memory
	Threads   int
}

// inspect shows a kernel to whoever asked to see it.
func (r *run) inspect(ctx context.Context, step *bound.Step) error {
	if r.opt.Inspect == nil {
		return nil
	}
	stored, err := r.arrays.Stored(step)
	if err != nil {
		return err
	}
	ref, err := r.reference(step, func(s *ops.Stage) bool { b := r.arrays.ByStage[s]; return b != nil && r.arrays.Whole(b.ID) }, 0)
	if err != nil {
		return err
	}
	return r.opt.Inspect(ctx, &Inspection{Plan: r.plan, Step: step, Stored: stored, Reference: ref, Mem: r.arrays.Memory, Threads: r.opt.Threads})
}

// Sweep launches a program over tiles on all threads, with memory of its own for some buffers.
func (i *Inspection) Sweep(ctx context.Context, p device.Program, tiles []region.Region, instead map[*ir.Buffer]device.Memory) error {
	mem := maps.Clone(i.Mem) // the tables that bound what the kernel loads among them
	maps.Copy(mem, instead)
	launch, err := p.Bind(device.Bindings{Mem: mem})
	if err != nil {
		return err
	}
	s := &exec.Sweep{Name: p.Kernel().Name, Bound: exec.Bound{Launch: launch}, Threads: i.Threads}
	if err := s.Run(ctx, tiles); err != nil {
		return err
	}
	return s.Fault
}
