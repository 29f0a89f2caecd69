package look

import (
	"context"
	"slices"

	"weft/ops"
	"weft/planner/bound"
	"weft/runtime/arrays"
	"weft/runtime/audit"
)

// givenWork is how many operations are spent on what may follow from what was stored before.
const givenWork = 5e7

// Second looks once more at what differs from float64, in a run.
type Second struct {
	Plan    *bound.Plan
	Arrays  *arrays.Arrays
	Doubt   audit.Doubt
	Threads int
	ByRows  func(*bound.Step) bool // of what the step reads only some rows are there at a time
	Known   func(*ops.Stage) bool  // what is known to be right by itself, though what it was made from may be gone; nil: nothing is
}

// Given explains elements that differ from float64 as it computes them from the beginning, by what their kernel read: see audit.Reference.Given. What
// is stored in fewer digits than its operator says is no excuse, nor is what the reference has read itself.
func (r *Second) Given(ctx context.Context, step *bound.Step, ref *audit.Reference, taken []audit.Sample, points [][]int) error {
	by := &audit.Effort{Mem: r.Arrays.Memory, Threads: r.Threads, Left: givenWork}
	return r.followed(ctx, step, step.Kernel.Roots, ref, taken, points, by)
}

// followed is given for some of the stages that a step stores.
func (r *Second) followed(
	ctx context.Context, step *bound.Step, roots []*ops.Stage, ref *audit.Reference, taken []audit.Sample, points [][]int, by *audit.Effort,
) error {
	if !slices.ContainsFunc(taken, func(s audit.Sample) bool { return !s.OK() }) || r.ByRows(step) {
		return nil
	}
	own, err := audit.Define(r.Plan.GivenReference(step.Kernel, roots), roots)
	if err != nil {
		return err
	}
	for part := range own.Loads {
		if by.Mem[part] == nil { // it is gone
			return nil
		}
	}
	return own.Given(ctx, taken, points, by, func(s *ops.Stage, at [][]int) (bool, error) {
		for _, from := range ref.Loads {
			if from == s { // float64 has read it as well
				return true, nil
			}
		}
		return r.right(ctx, by, s, at)
	})
}

// right reports whether elements of a stored stage are what they should be, each by itself.
func (r *Second) right(ctx context.Context, by *audit.Effort, s *ops.Stage, at [][]int) (bool, error) {
	b := r.Arrays.ByStage[s]
	switch made := r.Plan.Maker(b.ID); {
	case made == nil: // it was read, or came from elsewhere
		return true, nil
	case made.Kernel == nil || b.Narrowed() || r.Doubt[b.ID]:
		return false, nil
	case r.Known != nil && r.Known(s):
		return true, nil
	default:
		roots := []*ops.Stage{s}
		ref, err := audit.Define(r.Plan.Reference(roots, func(s *ops.Stage) bool {
			b := r.Arrays.ByStage[s]
			return b != nil && r.Arrays.Whole(b.ID)
		}, 0), roots)
		if err != nil {
			return false, err
		}
		points := at
		if b.Interleaved { // both parts of an element
			points = nil
			for _, p := range at {
				if p = p[:len(p)-1]; !slices.ContainsFunc(points, func(o []int) bool { return slices.Equal(o, p) }) {
					points = append(points, p)
				}
			}
		}
		if by.Left -= ref.Cost * float64(len(points)); by.Left < 0 {
			return false, nil
		}
		a := audit.In(b, by.Mem)
		taken, err := audit.Take(ctx, ref, []audit.Array{a}, points, by.Mem, by.Threads)
		if err != nil {
			return false, err
		}
		taken[0].Largest = a.Peak(by.Threads)
		ref.Settle(taken, points, by.Mem)
		if err := r.followed(ctx, made, roots, ref, taken, points, by); err != nil {
			return false, err
		}
		return taken[0].OK(), nil
	}
}
