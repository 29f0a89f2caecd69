package planner

import (
	"slices"

	"weft/ops"
	"weft/planner/bound"
	"weft/planner/module"
	"weft/planner/plan"
)

// lifetimes marks the last use of every buffer, finds the peak of what is alive at once, and sums the plan up.
func lifetimes(m *module.Module, opt Options) error {
	p := m.Plan
	if opt.within == "" { // what a drive launches keeps its arrays from call to call
		frees(p)
	}
	keepForProof(p)
	for i := range p.Steps {
		slices.Sort(p.Steps[i].Frees)
	}
	p.Totals.PeakBytes, p.Totals.PeakAt = p.PeakFrom(0)
	totals(p)
	p.Hash = p.Value().Sum()
	return nil
}

func frees(p *bound.Plan) {
	last := map[string]int{}
	for i := range p.Steps {
		end := i
		if c := p.ChainOf(p.Steps[i].ID); c != nil { // whose last rows are made when its last step is done
			end = slices.IndexFunc(p.Steps, func(s bound.Step) bool { return s.ID == c.Steps[len(c.Steps)-1] })
		}
		for _, id := range p.Needs(&p.Steps[i]) {
			last[id] = max(last[id], end)
		}
	}
	for id, i := range last {
		p.Steps[i].Frees = append(p.Steps[i].Frees, id)
	}
}

// totals sums the kernels up and counts what fusion saves. Predictions are summed when places and prefaulting have changed them.
func totals(p *bound.Plan) {
	t := &p.Totals
	for _, s := range p.Steps {
		if s.Kernel == nil {
			continue
		}
		t.Kernels++
		t.Flops += s.Kernel.Flops
		t.Bytes += s.Kernel.Bytes
	}
	for _, e := range p.Edges {
		if e.Code.Fused() {
			t.SavedBytes += e.Bytes
		}
	}
}

// keepForProof lets arrays live on that a sampled output must be computed from again, in float64, because what it was
// computed from in the plan is stored in fewer digits.
func keepForProof(p *bound.Plan) {
	if !slices.ContainsFunc(p.Buffers, func(b bound.Buffer) bool { return b.Stored != "" }) {
		return
	}
	made, ids := map[*ops.Stage]int{}, map[*ops.Stage]string{}
	for _, b := range p.Buffers {
		ids[b.Array] = b.ID
	}
	for i, s := range p.Steps {
		for _, id := range s.Writes {
			made[p.Buffer(id).Array] = i
		}
		for _, id := range s.Reads {
			if buf := p.Buffer(id); buf.Role == plan.FromPlan {
				made[buf.Array] = 0
			}
		}
	}
	for i, s := range p.Steps {
		if s.Kernel == nil {
			continue
		}
		ref := p.Reference(s.Kernel.Roots, func(st *ops.Stage) bool { at, ok := made[st]; return ok && at < i }, 0)
		for _, st := range ref.Loads {
			if id, ok := ids[st]; ok {
				outlive(p, id, i)
			}
		}
	}
}

// outlive keeps a buffer until after a step.
func outlive(p *bound.Plan, id string, step int) {
	for i := range step {
		if at := slices.Index(p.Steps[i].Frees, id); at >= 0 {
			p.Steps[i].Frees = slices.Delete(p.Steps[i].Frees, at, at+1)
			p.Steps[step].Frees = append(p.Steps[step].Frees, id)
			slices.Sort(p.Steps[step].Frees)
			return
		}
	}
}
