package runtime

import (
	"context"
	"slices"

	"weft/kernels/region"
	"weft/planner/blocks"
	"weft/planner/bound"
	"weft/planner/plan"
	"weft/runtime/memory"
)

// chainOf is the chain of a step that runs so where its kernels are compiled; nil: there is none. Who looks at kernels one by one, counts or tunes them
// has them run so.
func (r *run) chainOf(step *bound.Step) *plan.Chain {
	c := r.plan.ChainOf(step.ID)
	if c == nil || r.plan.Stream != nil || r.opt.Inspect != nil || r.opt.Count || r.opt.Tune ||
		slices.ContainsFunc(r.chain(c), func(s bound.Step) bool { return s.Kernel == nil || s.Kernel.Place.Accelerates() }) {
		return nil
	}
	return c
}

// chained is the chain that begins with a step, in blocks of rows; nil: the step runs by itself, always.
func (r *run) chained(step *bound.Step) (*plan.Chain, []region.Interval) {
	if cuts, known := r.cuts[step]; known {
		return r.plan.ChainOf(step.ID), cuts
	}
	if r.cuts == nil {
		r.cuts = map[*bound.Step][]region.Interval{}
	}
	r.cuts[step] = nil
	c := r.chainOf(step)
	if c == nil || c.Steps[0] != step.ID {
		return c, nil
	}
	for _, s := range r.chain(c) {
		if r.opt.Programs.Of(s.Kernel) == nil || s.Kernel.Device != r.opt.Devices[0].Info().Name {
			return c, nil
		}
	}
	r.cuts[step] = blocks.CutChain(r.plan, c)
	return c, r.cuts[step]
}

// chain are the steps of a chain.
func (r *run) chain(c *plan.Chain) []bound.Step {
	return r.plan.Together(slices.IndexFunc(r.plan.Steps, func(s bound.Step) bool { return s.ID == c.Steps[0] }))
}

// slide gives what is between the kernels of a chain memory for the longest of its blocks.
func (r *run) slide(c *plan.Chain, cuts []region.Interval) ([]*memory.Sliding, error) {
	most := 0
	for _, rows := range cuts {
		most = max(most, rows.Len())
	}
	return r.arrays.Slide(c.Inside, most)
}

// runChain runs the kernels of a chain one behind the other over a few rows at a time; of calls before this there are works.
func (r *run) runChain(ctx context.Context, c *plan.Chain, cuts []region.Interval, works []*work) error {
	steps := r.chain(c)
	sliding, err := r.slide(c, cuts)
	if err != nil {
		return r.failed(ctx, &steps[0], err)
	}
	for i := range steps {
		if works[i] == nil {
			if err := r.allocate(&steps[i]); err != nil {
				return r.failed(ctx, &steps[i], err)
			}
			works[i] = r.work(&steps[i])
		}
		works[i].sweep.Forget()
		if works[i].checks = nil; !r.opt.Verify {
			continue
		}
		checks, err := r.newSampling(&steps[i])
		if err != nil {
			return r.failed(ctx, &steps[i], err)
		}
		checks.each = (checks.size + len(cuts) - 1) / len(cuts)
		works[i].checks = checks
	}
	r.opt.Progress.Begin(steps[len(steps)-1].Name, len(cuts)*len(steps), 0)
	defer r.opt.Progress.End()
	for _, rows := range cuts {
		for _, m := range sliding {
			if err := m.Move(rows); err != nil {
				return r.failed(ctx, &steps[0], err)
			}
		}
		for i, w := range works {
			over := steps[i].Kernel.Over(rows)
			err := w.tiles(ctx, steps[i].Kernel.Shares(rows, r.opt.Threads))
			if err == nil && w.checks != nil {
				_, err = w.checks.sample(ctx, over, w.checks.each)
			}
			if err != nil {
				return r.failed(ctx, &steps[i], r.makes(&steps[i], err))
			}
		}
	}
	for i, w := range works {
		err := r.makes(&steps[i], nil)
		r.doubt.spread(&steps[i])
		blanks := r.blanks(&steps[i])
		if err == nil {
			err = blanks.judge()
		}
		if err == nil && w.checks != nil {
			err = w.checks.judge()
		}
		if err != nil {
			return r.failed(ctx, &steps[i], err)
		}
	}
	return nil
}
