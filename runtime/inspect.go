package runtime

import (
	"context"

	"weft/ops"
	"weft/planner/bound"
	"weft/runtime/audit"
	"weft/runtime/look"
)

// Inspection is a kernel that just ran, while all its arrays are in memory. Inspectors may read the arrays, and write none.
type Inspection struct {
	*look.Second
	Step      *bound.Step
	Stored    []audit.Array // what the kernel stored
	Reference *audit.Reference
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
	return r.opt.Inspect(ctx, &Inspection{Second: r.second(), Step: step, Stored: stored, Reference: ref})
}

// second looks once more at what seems to be wrong.
func (r *run) second() *look.Second {
	return &look.Second{Plan: r.plan, Arrays: r.arrays, Doubt: r.doubt, Threads: r.opt.Threads, ByRows: r.byRows}
}
