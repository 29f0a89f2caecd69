package runtime

import (
	"context"
	"slices"

	"weft/kernels/region"
	"weft/planner/blocks"
	"weft/planner/bound"
	"weft/planner/plan"
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

// chained is the chain that begins with a step, in blocks of rows; nil: the step runs by itself.
func (r *run) chained(step *bound.Step) (*plan.Chain, []region.Interval) {
	c := r.chainOf(step)
	if c == nil || c.Steps[0] != step.ID {
		return nil, nil
	}
	for _, s := range r.chain(c) {
		if r.opt.Programs.Of(s.Kernel) == nil || s.Kernel.Device != r.opt.Devices[0].Info().Name {
			return nil, nil
		}
	}
	if cuts := blocks.CutChain(r.plan, c); cuts != nil {
		return c, cuts
	}
	return nil, nil
}

// chain are the steps of a chain.
func (r *run) chain(c *plan.Chain) []bound.Step {
	return r.plan.Together(slices.IndexFunc(r.plan.Steps, func(s bound.Step) bool { return s.ID == c.Steps[0] }))
}

// runChain runs the kernels of a chain one behind the other over a few rows at a time.
func (r *run) runChain(ctx context.Context, c *plan.Chain, cuts []region.Interval) error {
	steps := r.chain(c)
	most := 0
	for _, rows := range cuts {
		most = max(most, rows.Len())
	}
	sliding, err := r.arrays.Slide(c.Inside, most)
	if err != nil {
		return r.failed(ctx, &steps[0], err)
	}
	defer r.arrays.Free(c.Inside)
	works := make([]*work, len(steps))
	for i := range steps {
		if err := r.allocate(&steps[i]); err != nil {
			return r.failed(ctx, &steps[i], err)
		}
		works[i] = r.work(&steps[i])
		if !r.opt.Verify {
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
		w.finish()
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
