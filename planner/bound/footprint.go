package bound

import (
	"weft/kernels/region"
	"weft/planner/bounds"
)

// Footprint is which regions of the arrays that a kernel step reads are needed to compute a region of its axes, by buffer id.
// The function may be called from several goroutines at once.
func (p *Plan) Footprint(step *Step) func(over region.Region) map[string]region.Region {
	loads := bounds.Needed(step.Kernel.IR)
	return func(over region.Region) map[string]region.Region {
		out := make(map[string]region.Region, len(step.Reads))
		need := loads.Of(over)
		for _, id := range step.Reads {
			if b := p.Buffer(id); need[b.IR] != nil { // of x ^ 0 nothing is read
				out[id] = b.Layout.DimsOf(need[b.IR])
			}
		}
		return out
	}
}
