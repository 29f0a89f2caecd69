package runtime

import (
	"context"
	"fmt"
	"slices"
	"time"

	"weft/kernels/region"
	"weft/ops"
	"weft/planner/bound"
	"weft/planner/plan"
	"weft/runtime/audit"
	"weft/runtime/journal"
	"weft/runtime/result"
)

// verify compares a sample of what a kernel stored of a region of its axes with float64.
func (r *run) verify(ctx context.Context, step *bound.Step, over region.Region) error {
	c, err := r.newSampling(step)
	if a := r.looks.Of(step); err == nil && a != nil && a.Taken != nil && c.size > 0 {
		c.add(a.Taken)
	} else if err == nil {
		_, err = c.sample(ctx, over, c.size)
	}
	if err == nil {
		err = c.judge()
	}
	if err != nil || c.size == 0 || !over.Equal(step.Kernel.IR.Domain()) {
		return err
	}
	return c.fillUp(ctx)
}

// sampling gathers samples of what a kernel stores.
type sampling struct {
	run   *run
	step  *bound.Step
	ref   *audit.Reference
	size  int            // samples that are worth their time; 0: even one is too expensive
	each  int            // of them in a block
	taken []audit.Sample // by array that the kernel stores
}

func (r *run) newSampling(step *bound.Step) (*sampling, error) {
	if err := r.defined(); err != nil {
		return nil, err
	}
	ref := r.references[step.ID]
	return &sampling{run: r, step: step, ref: ref, size: audit.Size(ref.Price(), step.Kernel.Flops, r.inner(step.Kernel))}, nil
}

// sample compares at most n points of a region of the kernel's axes, and gives what it took.
func (c *sampling) sample(ctx context.Context, over region.Region, n int) ([]audit.Sample, error) {
	if n == 0 {
		return nil, nil
	}
	r := c.run
	defer r.checking(c.step, time.Now())
	over, err := r.stores(c.step, over)
	if err != nil {
		return nil, err
	}
	for _, s := range c.step.Kernel.Roots { // how loud an array is says which of its elements to look at
		if b := r.arrays.ByStage[s]; r.arrays.Away(b.ID) && audit.Rule(s, b.Storage()).Metric == ops.Level {
			if err := r.arrays.Bring(ctx, []string{b.ID}); err != nil {
				return nil, err
			}
		}
	}
	arrays, err := r.arrays.Stored(c.step)
	if err != nil {
		return nil, err
	}
	peak := func(a audit.Array) float64 { return audit.Peak(a.HostArray, over, r.opt.Threads) }
	points := audit.Pick(arrays, peak, over, n, r.opt.Seed)
	if err := r.peek(ctx, c.step, c.ref, points); err != nil {
		return nil, err
	}
	if arrays, err = r.arrays.Stored(c.step); err != nil { // with data
		return nil, err
	}
	taken, err := audit.Take(ctx, c.ref, arrays, points, r.arrays.Memory, r.opt.Threads)
	if err != nil {
		return nil, err
	}
	if r.stays() && slices.ContainsFunc(taken, func(s audit.Sample) bool { s.Largest = s.Seen(); return !s.OK() }) { // what that is due to may be anywhere
		if err := r.arrays.BringAll(ctx); err != nil {
			return nil, err
		}
	}
	for i := range taken {
		s := &taken[i]
		// Where rows come and go, or quiet elements do not count, the largest magnitude of all must be known; else those seen will do, unless
		// something seems to be wrong.
		whole := !r.arrays.Windowed[s.Array.Of.ID] && s.Rule().Metric != ops.Level
		if s.Largest = s.Seen(); !whole || !s.Figures().Within(s.Rule()) {
			s.Largest = s.Array.Of.Peak(peak(s.Array))
		}
	}
	c.ref.Settle(taken, points, r.arrays.Memory)
	if err := r.second().Given(ctx, c.step, c.ref, taken, points); err != nil {
		return nil, err
	}
	c.add(taken)
	return taken, nil
}

// add takes in samples of each array that the kernel stores.
func (c *sampling) add(taken []audit.Sample) {
	if c.taken == nil {
		c.taken = make([]audit.Sample, len(taken))
	}
	for i, s := range taken {
		c.taken[i].Add(s)
	}
}

// again takes in what an earlier run sampled of what it left.
func (c *sampling) again(before []journal.Sampled) {
	for _, s := range before {
		if s.Step != c.step.ID {
			continue
		}
		taken := make([]audit.Sample, len(s.Taken))
		for i, k := range s.Taken {
			taken[i] = k.Of(audit.Array{Of: c.run.arrays.ByStage[c.step.Kernel.Roots[i]]})
		}
		c.add(taken)
	}
}

// checking adds to the time that checks take.
func (r *run) checking(step *bound.Step, start time.Time) {
	r.result.VerifyS += result.Since(start)
	r.opt.Trace.Span(0, "verify", step.Name, start, nil)
}

// judge reports the samples, and what is beyond its tolerance.
func (c *sampling) judge() error {
	r := c.run
	if c.size == 0 {
		why := fmt.Sprintf("one element takes %.2g operations in float64", c.ref.Cost)
		for _, s := range c.step.Kernel.Roots {
			b := r.arrays.ByStage[s]
			rule := audit.Rule(s, b.Storage())
			r.result.Parity = append(r.result.Parity, result.Parity{Value: audit.Name(b), Kernel: c.step.ID, Seed: r.opt.Seed,
				Metric: rule.Metric, Tolerance: rule.Tolerance, Unit: s.Type.Unit.String(), Skipped: why, OK: true})
		}
		return nil
	}
	for _, s := range c.taken {
		p := result.ParityOf(s, c.step.ID, r.unnamed(s.Array.Of), r.opt.Seed)
		r.result.Parity = append(r.result.Parity, p)
		if p.OK {
			continue
		}
		stage := s.Array.Of.Array
		w, err := r.unproven(stage, p)
		if err == nil {
			err = r.doubted(stage, w)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// inner reports whether a kernel makes only what others read on.
func (r *run) inner(k *bound.Kernel) bool {
	return !slices.ContainsFunc(k.Roots, func(s *ops.Stage) bool { return !r.unnamed(r.arrays.ByStage[s]) })
}

// unnamed reports whether an array is one that a user has no name for and does not get. Of what a drive keeps, users get its outputs.
func (r *run) unnamed(b *bound.Buffer) bool {
	return b.Label == "" && !slices.ContainsFunc(r.plan.Steps, func(s bound.Step) bool {
		return s.Kind == plan.SinkStep && slices.Contains(s.Reads, b.ID) &&
			(r.program == nil || !slices.Contains(r.program.Next[len(s.Op.Out):], b.ID))
	})
}
