package bound

import (
	"slices"

	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/planner/bounds"
	"weft/planner/plan"
)

// Footprint is which regions of the arrays that a kernel step reads are needed to compute a region of its axes, by buffer id.
// The function may be called from several goroutines at once.
func (p *Plan) Footprint(step *Step) func(over region.Region) map[string]region.Region {
	return p.regions(step, bounds.Needed(step.Kernel.IR).Where(p.places(step)).Of)
}

// Reach is Footprint of all that is loaded, also where the value is thrown away: on devices, what lies there must have an address.
func (p *Plan) Reach(step *Step) func(over region.Region) map[string]region.Region {
	return p.regions(step, bounds.Executed(step.Kernel.IR, nil).Of)
}

// places are where whole numbers lie that other kernels make for a step, all of them: they may be rows that it loads.
func (p *Plan) places(step *Step) bounds.Values {
	out := bounds.Values{}
	for _, id := range step.Reads {
		if b := p.Buffer(id); b.Role != plan.FromKernel || b.Storage().Float() {
			continue
		}
		for i := range p.Steps {
			made := &p.Steps[i]
			if made.Kernel != nil && slices.Contains(made.Writes, id) && !slices.ContainsFunc(made.Kernel.IR.Stores, func(s ir.Store) bool { return s.In != nil || s.Guard != nil }) {
				out.Store(made.Kernel.IR)
			}
		}
	}
	return out
}

// regions are those of the arrays that a step reads, as some are needed of their parts.
func (p *Plan) regions(step *Step, needed func(over region.Region) map[*ir.Buffer]region.Region) func(over region.Region) map[string]region.Region {
	return func(over region.Region) map[string]region.Region {
		out := make(map[string]region.Region, len(step.Reads))
		need := needed(over)
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

// Taken reports whether something that is no kernel takes an array: it is on its way to the host as it is made.
func (p *Plan) Taken(id string) bool {
	return slices.ContainsFunc(p.Steps, func(s Step) bool { return s.Kernel == nil && slices.Contains(s.Reads, id) })
}
