package arrays

import (
	"context"
	"slices"

	"weft/kernels/region"
	"weft/ops"
	"weft/planner/bound"
	"weft/runtime/audit"
)

// Blanks are the arrays of a kernel that must hold a number somewhere (ops.Stage.Void), and in which none was found yet.
type Blanks struct {
	arrays *Arrays
	stages []*ops.Stage
}

// Blanks are those that a step stores.
func (a *Arrays) Blanks(step *bound.Step) Blanks {
	b := Blanks{arrays: a}
	for _, s := range step.Kernel.Roots {
		if s.Void != nil {
			b.stages = append(b.stages, s)
		}
	}
	return b
}

// Without leaves out those of which it is known that they hold numbers.
func (b Blanks) Without(numbers map[*ops.Stage]bool) Blanks {
	b.stages = slices.DeleteFunc(b.stages, func(s *ops.Stage) bool { return numbers[s] })
	return b
}

// Look searches a region of those arrays; an array that is there as a whole can be searched at the end instead.
func (b *Blanks) Look(ctx context.Context, at region.Region) error {
	return b.search(ctx, func(id string) (region.Region, bool) { return at, b.arrays.Windowed[id] })
}

// Judge ends the search when all rows were seen.
func (b *Blanks) Judge(ctx context.Context) error {
	err := b.search(ctx, func(id string) (region.Region, bool) {
		return b.arrays.ByID[id].Layout.Whole(), !b.arrays.Windowed[id]
	})
	if err != nil || len(b.stages) == 0 {
		return err
	}
	return b.stages[0].Void
}

func (b *Blanks) search(ctx context.Context, where func(id string) (at region.Region, search bool)) (err error) {
	b.stages = slices.DeleteFunc(b.stages, func(s *ops.Stage) bool {
		id := b.arrays.ByStage[s].ID
		at, search := where(id)
		if !search {
			return false
		}
		e := error(nil)
		if b.arrays.Away(id) {
			e = b.arrays.Bring(ctx, []string{id})
		}
		h := ops.HostArray{}
		if e == nil {
			h, e = b.arrays.Host(id)
		}
		if e != nil {
			err = e
			return false
		}
		return audit.HoldsNumber(h, at)
	})
	return err
}
