package runtime

import (
	"slices"

	"weft/kernels/region"
	"weft/ops"
	"weft/planner/bound"
	"weft/runtime/audit"
)

// blanks are the arrays of a kernel that must hold a number somewhere (ops.Stage.Void), and in which none was found yet.
type blanks struct {
	run    *run
	stages []*ops.Stage
}

func (r *run) blanks(step *bound.Step) blanks {
	b := blanks{run: r}
	for _, s := range step.Kernel.Roots {
		if s.Void != nil {
			b.stages = append(b.stages, s)
		}
	}
	return b
}

// look searches a region of those arrays; an array that is there as a whole can be searched at the end instead.
func (b *blanks) look(at region.Region) error {
	return b.search(func(id string) (region.Region, bool) { return at, b.run.arrays.Windowed[id] })
}

// judge ends the search when all rows were seen.
func (b *blanks) judge() error {
	err := b.search(func(id string) (region.Region, bool) {
		return b.run.arrays.ByID[id].Layout.Whole(), !b.run.arrays.Windowed[id]
	})
	if err != nil || len(b.stages) == 0 {
		return err
	}
	return b.stages[0].Void
}

func (b *blanks) search(where func(id string) (at region.Region, search bool)) (err error) {
	b.stages = slices.DeleteFunc(b.stages, func(s *ops.Stage) bool {
		id := b.run.arrays.ByStage[s].ID
		at, search := where(id)
		if !search {
			return false
		}
		h, e := b.run.arrays.Host(id)
		if e != nil {
			err = e
			return false
		}
		return audit.HoldsNumber(h, at)
	})
	return err
}
