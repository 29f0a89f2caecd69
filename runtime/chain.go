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
	if !r.compiled(c) {
		return c, nil
	}
	r.cuts[step] = blocks.CutChain(r.plan, c)
	return c, r.cuts[step]
}

// compiled reports whether the kernels of a chain are, for the host's processor.
func (r *run) compiled(c *plan.Chain) bool {
	return !slices.ContainsFunc(r.chain(c), func(s bound.Step) bool {
		return r.opt.Programs.Of(s.Kernel) == nil || s.Kernel.Device != r.opt.Devices[0].Info().Name
	})
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

// chainRun is a chain under way.
type chainRun struct {
	steps []bound.Step
	works []*work // of its kernels; nil: not yet
	cuts  []region.Interval
	// move has memory stand for some rows, and over is the part of a kernel's domain that makes them.
	move func(rows region.Interval) error
	over func(k *bound.Kernel, rows region.Interval) region.Region
	look func(s *bound.Step, over region.Region) error // at the first rows, where nothing is checked; nil: nobody does
}

// runChain runs the kernels of a chain one behind the other over a few rows at a time; of calls before this there are works.
func (r *run) runChain(ctx context.Context, c *plan.Chain, cuts []region.Interval, works []*work) error {
	steps := r.chain(c)
	sliding, err := r.slide(c, cuts)
	if err != nil {
		return r.failed(ctx, &steps[0], err)
	}
	err = r.chainBlocks(ctx, chainRun{steps: steps, works: works, cuts: cuts, over: (*bound.Kernel).Over, move: func(rows region.Interval) error {
		for _, m := range sliding {
			if err := m.Move(rows); err != nil {
				return err
			}
		}
		return nil
	}})
	for i := range steps {
		if blanks := r.arrays.Blanks(&steps[i]); err == nil {
			if err = blanks.Judge(ctx); err != nil {
				err = r.failed(ctx, &steps[i], err)
			}
		}
	}
	return err
}

// chainBlocks runs the kernels of a chain block by block.
func (r *run) chainBlocks(ctx context.Context, c chainRun) error {
	for i := range c.steps {
		s := &c.steps[i]
		if c.works[i] == nil {
			if err := r.allocate(ctx, s); err != nil {
				return r.failed(ctx, s, err)
			}
			c.works[i] = r.work(s)
		}
		c.works[i].sweep.Forget()
		if c.works[i].checks = nil; r.opt.Verify {
			checks, err := r.newSampling(s)
			if err != nil {
				return r.failed(ctx, s, err)
			}
			c.works[i].checks = checks
		}
	}
	r.opt.Progress.Begin(c.steps[len(c.steps)-1].Name, len(c.cuts)*len(c.steps), 0)
	defer r.opt.Progress.End()
	for t, rows := range c.cuts {
		if err := c.move(rows); err != nil {
			return r.failed(ctx, &c.steps[0], err)
		}
		for i, w := range c.works {
			s := &c.steps[i]
			over := c.over(s.Kernel, rows)
			tiles := s.Kernel.Shares(over[0], r.opt.Threads)
			if len(tiles) < r.opt.Threads { // rows are few, and may be long
				tiles = s.Kernel.TilesOf(over, r.opt.Threads)
			}
			err := w.tiles(ctx, tiles)
			switch {
			case err != nil:
			case w.checks != nil:
				if n := share(w.checks.size, t, len(c.cuts)); n > 0 {
					_, err = w.checks.sample(ctx, over, n)
				}
			case c.look != nil && t == 0:
				err = c.look(s, over)
			}
			if err != nil {
				return r.failed(ctx, s, r.makes(s, err))
			}
		}
	}
	for i, w := range c.works {
		err := r.makes(&c.steps[i], nil)
		r.doubt.Spread(&c.steps[i])
		if err == nil && w.checks != nil {
			err = w.checks.judge()
		}
		if err != nil {
			return r.failed(ctx, &c.steps[i], err)
		}
	}
	return nil
}

// share is how many of n go with block t of so many, as evenly as they can.
func share(n, t, of int) int { return n*(t+1)/of - n*t/of }
