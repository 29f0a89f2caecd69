package runtime

import (
	"context"
	"slices"
	"time"

	"weft/kernels/region"
	"weft/planner/bound"
	"weft/planner/bounds"
	"weft/runtime/audit"
	"weft/runtime/fleet"
	"weft/runtime/look"
	"weft/runtime/result"
)

// spotCheck looks at ranges, at one point of each at least, and says what is wrong with which; empty: nothing is. The largest magnitudes seen do as long as nothing seems wrong.
func (w *work) spotCheck(ref *audit.Reference, over region.Region) func(context.Context, []region.Region) ([]string, error) {
	r := w.run
	n := audit.Spots(ref.Price())
	if n == 0 {
		return nil
	}
	return func(ctx context.Context, ranges []region.Region) ([]string, error) {
		defer func(start time.Time) { r.result.VerifyS += result.Since(start) }(time.Now())
		faults, points := make([]string, len(ranges)), make([][][]int, len(ranges))
		for i, at := range ranges {
			elements, err := r.stores(w.step, at)
			if err != nil {
				return nil, err
			}
			points[i] = audit.Points(elements, n, r.opt.Seed)
		}
		all := slices.Concat(points...)
		if err := r.peek(ctx, w.step, ref, all); err != nil {
			return nil, err
		}
		arrays, err := r.arrays.Stored(w.step)
		if err != nil {
			return nil, err
		}
		taken, err := audit.Take(ctx, ref, arrays, all, r.arrays.Memory, r.opt.Threads)
		if err != nil {
			return nil, err
		}
		var peaks []float64
		for i, part := range audit.Parted(taken, points) {
			if audit.Gross(part) == "" {
				continue
			}
			if peaks == nil {
				if peaks, err = r.peaks(ctx, w.step, over); err != nil {
					return nil, err
				}
			}
			for j := range part {
				part[j].Largest = peaks[j]
			}
			if audit.Gross(part) != "" {
				ref.Settle(part, points[i], r.arrays.Memory)
			}
			faults[i] = audit.Gross(part)
		}
		return faults, nil
	}
}

// beside looks at what a kernel stores beside what follows it, at the points of its check and of its sample.
func (w *work) beside(ctx context.Context, ref *audit.Reference, over region.Region) func() (fleet.Look, error) {
	r := w.run
	if !r.stays() || !over.Equal(w.step.Kernel.IR.Domain()) {
		return nil
	}
	return func() (fleet.Look, error) {
		elements, err := r.stores(w.step, over)
		if err != nil {
			return nil, err
		}
		c, err := r.newSampling(w.step)
		if err != nil {
			return nil, err
		}
		of := look.Sought{Spots: audit.Points(elements, audit.Spots(ref.Price()), r.opt.Seed), Elements: elements, Size: c.size, Seed: r.opt.Seed}
		return r.looks.Begin(ctx, w.step, over, ref, of)
	}
}

// looked ends looks beside the run, and judges by what they found; it does what a look could not, as those who wait do.
func (r *run) looked(ctx context.Context) error {
	if !r.looks.Under() {
		return nil
	}
	if err := r.fleet.Settle(ctx); err != nil {
		return err
	}
	for a := r.looks.Next(); a != nil; a = r.looks.Next() {
		r.doubt.Spread(a.Step)
		r.result.VerifyS += a.Waited.Seconds()
		blanks := r.arrays.Blanks(a.Step).Without(a.Numbers)
		if err := blanks.Judge(ctx); err != nil {
			return r.failed(ctx, a.Step, err)
		}
		if err := r.verify(ctx, a.Step, a.Over); err != nil {
			return r.failed(ctx, a.Step, err)
		}
		if err := r.free(ctx, r.looks.Known()); err != nil {
			return err
		}
	}
	return nil
}

// peek has the host see what a step stored at some points, and what its reference reads there.
func (r *run) peek(ctx context.Context, step *bound.Step, ref *audit.Reference, points [][]int) error {
	if r.stays() {
		return r.arrays.Peek(ctx, step.Name, step.Writes, bounds.Needed(ref.Kernel), points)
	}
	return nil
}

// peaks are the largest magnitudes of what a step stored in a region, with all that devices hold there to look further.
func (r *run) peaks(ctx context.Context, step *bound.Step, over region.Region) ([]float64, error) {
	if r.stays() {
		if err := r.arrays.BringAll(ctx); err != nil {
			return nil, err
		}
	}
	elements, err := r.stores(step, over)
	if err != nil {
		return nil, err
	}
	return r.arrays.Peaks(step, elements, r.opt.Threads)
}
