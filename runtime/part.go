package runtime

import (
	"context"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/planner/bound"
	"weft/planner/plan"
	"weft/runtime/audit"
	"weft/runtime/exec"
)

// Part runs some steps of a plan, for those who look at what they make: it stays in memory, and nothing is checked or handed out.
type Part struct{ run *run }

// NewPart is of no steps yet. What fails on the only device of the options fails.
func NewPart(p *bound.Plan, opt Options) *Part {
	return &Part{newRun(p, opt.withDefaults(), nil)}
}

// Run runs the step of a source, or that of a kernel over some tiles.
func (t *Part) Run(ctx context.Context, s *bound.Step, tiles []region.Region) error {
	err := ctx.Err()
	if err == nil {
		err = t.run.allocate(ctx, s)
	}
	switch {
	case err != nil:
	case s.Kind == plan.ReadStep:
		err = t.run.read(ctx, s)
	default:
		err = t.run.work(s).part(ctx, s.Kernel.IR.Domain(), tiles)
	}
	return err
}

// Launch is a kernel, ready to be launched over any tile.
func (t *Part) Launch(s *bound.Step) (func(region.Region) error, error) {
	b, err := t.run.bind(s.Kernel, t.run.opt.Programs.Of(s.Kernel), &exec.Sweep{})
	return b.Launch, err
}

// Lend has an array be that of another part, in which it is the same.
func (t *Part) Lend(b *bound.Buffer, from *Part, is *bound.Buffer) {
	for i, part := range b.Bufs {
		if m := from.run.arrays.Memory[is.Bufs[i]]; m != nil {
			t.run.arrays.Memory[part], t.run.arrays.Lent[b.ID] = m, true
		}
	}
}

// Mem is the memory of arrays.
func (t *Part) Mem() map[*ir.Buffer]device.Memory { return t.run.arrays.Memory }

// Array is one of the plan.
func (t *Part) Array(b *bound.Buffer) audit.Array { return audit.In(b, t.run.arrays.Memory) }

// Free gives up all arrays but those that are lent.
func (t *Part) Free() { t.run.arrays.FreeAll() }
