package runtime

import (
	"context"
	"fmt"
	"slices"

	"weft/kernels/region"
	"weft/ops/amount"
	"weft/ops/problem"
	"weft/planner/bound"
	"weft/planner/plan"
	"weft/runtime/memory"
)

// stores is what a kernel stores of a region of its axes, as far as that is there.
func (r *run) stores(step *bound.Step, over region.Region) (region.Region, error) {
	at := r.elementsOf(step, over)
	if starts := r.plan.Starts(step); starts != nil && !over.Equal(step.Kernel.IR.Domain()) {
		h, err := r.arrays.Host(starts.ID)
		if err != nil {
			return nil, err
		}
		each := starts.Layout.Len() / step.Kernel.IR.Axes[0].Extent
		if at[0].Lo = int(h.Float(over[0].Lo * each)); over[0].Hi < step.Kernel.IR.Axes[0].Extent {
			at[0].Hi = int(h.Float(over[0].Hi * each))
		}
	}
	for i, d := range step.Kernel.Roots[0].Type.Dims {
		if b := r.plan.Count(d, step); b != nil {
			n, err := r.arrays.Elements(b, d.Size)
			if err != nil {
				return nil, err
			}
			at[i].Hi = min(at[i].Hi, n)
		}
	}
	return at, nil
}

// room asks for the memory of what is counted, before a step makes it.
func (r *run) room(step *bound.Step) error {
	if !r.plan.Totals.Later {
		return nil
	}
	asked, largest, err := r.arrays.Found(step)
	if err != nil {
		return err
	}
	if asked > 0 {
		r.ease(step)
	}
	needs, err := r.granted.Grow(asked)
	if err != nil && r.layout != nil && r.program == nil {
		needs, err = r.narrow(asked, needs)
	}
	if err != nil {
		for i := range r.plan.Steps { // what is named does for those too
			more, _, err := r.arrays.Found(&r.plan.Steps[i])
			if err != nil {
				return err
			}
			needs += more
		}
		if r.layout != nil { // with more than half beside what is counted, the plan may be another
			needs = max(needs, 2*r.arrays.Counted())
		}
		return problem.Wrong(problem.MemoryBudget, "", fmt.Sprintf("give --memory at least %s, or keep less", plan.SizeFor(needs)),
			"%s: with what is counted beside it that takes %s, and %s are needed at once, more than the budget", largest, amount.Bytes(asked), amount.Bytes(needs))
	}
	return nil
}

// narrow lays the blocks that are left to do out anew, smaller, so that as much more is granted as is asked for; all that needs with those laid out before. Where
// the smallest do not fit, it is that with these.
func (r *run) narrow(asked, needs int64) (int64, error) {
	peak, least := r.layout.Narrow(r.passed, r.laid-(needs-r.opt.Memory.Budget()))
	if least > 0 {
		return needs - r.laid + least, memory.ErrTooLarge
	}
	_, _ = r.granted.Grow(peak - r.laid) // less is never too much
	r.laid = peak
	return r.granted.Grow(asked)
}

// ease gives back what was granted for steps that are done and none of those to come needs at once.
func (r *run) ease(step *bound.Step) {
	at := slices.IndexFunc(r.plan.Steps, func(s bound.Step) bool { return s.ID == step.ID })
	if r.program != nil || r.plan.Stream != nil || at < 0 {
		return
	}
	if still, _ := r.plan.PeakFrom(at); still < r.plan.Totals.PeakBytes-r.eased {
		_, _ = r.granted.Grow(still + r.eased - r.plan.Totals.PeakBytes) // less is never too much
		r.eased = r.plan.Totals.PeakBytes - still
	}
}

// free gives up arrays, and what was asked for them. Where devices alone hold what was made from some of these, they stay as long as there is memory
// for that.
func (r *run) free(ctx context.Context, ids []string) error {
	if r.looks.Hold(ids) {
		return nil
	}
	if r.stays() {
		r.kept = r.arrays.Let(append(r.kept, ids...))
		more := r.arrays.Taken(r.kept)
		if _, err := r.granted.Grow(more - r.more); err != nil {
			if err := r.arrays.BringAll(ctx); err != nil {
				return err
			}
			r.kept = r.arrays.Let(r.kept)
			more = r.more
		}
		r.more = more
		return nil
	}
	r.arrays.Free(ids)
	for _, id := range ids {
		if n, asked := r.arrays.Sizes[id]; asked && !r.arrays.There(id) {
			_, _ = r.granted.Grow(-n) // less is never too much
			delete(r.arrays.Sizes, id)
		}
	}
	return nil
}
