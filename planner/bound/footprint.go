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
			var at region.Region // nil where nothing is read, as of x ^ 0
			b := p.Buffer(id)
			for i, part := range b.Bufs {
				if n := need[part]; n != nil {
					at = at.Hull(b.Layout.Of(i, n))
				}
			}
			if at != nil {
				out[id] = at
			}
		}
		return out
	}
}
