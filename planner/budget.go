package planner

import (
	"errors"
	"fmt"
	"slices"

	"weft/ops/amount"
	"weft/ops/problem"
	"weft/planner/blocks"
	"weft/planner/bound"
	"weft/planner/module"
	"weft/planner/plan"
)

// errBlocks is that of a plan which would have to run in blocks, where that is not asked for.
var errBlocks = errors.New("the plan does not fit as a whole")

// fitted makes a plan that does not fit the memory budget run in blocks of rows, and refuses one that does not fit so either.
func fitted(m *module.Module, opt Options) error {
	p, t := m.Plan, m.Plan.Totals
	if opt.Memory <= 0 || t.PeakBytes <= opt.Memory {
		return nil
	}
	if p.Counted() {
		p.Totals.Later = true
		if p.Totals.PeakBytes, p.Totals.PeakAt = p.PeakFrom(0); p.Totals.PeakBytes <= opt.Memory/2 { // what is counted has the rest
			return nil
		}
	}
	if opt.whole {
		return errBlocks
	}
	why, least := blocks.Fit(p, m.Device.Kind, opt.Memory, opt.tries != nil)
	if why == "" || p.Totals.PeakBytes <= opt.Memory {
		return nil
	}
	if opt.tries != nil {
		opt.tries.need = least + opt.taken
	}
	if opt.beyond != nil {
		opt.beyond.bytes = max(1, least-opt.Memory)
	}
	step, largest := largestAtPeak(p)
	what := fmt.Sprintf("the largest is %s %s (%s); ", largest.Stage, largest.Type, amount.Bytes(largest.Bytes))
	switch {
	case opt.taken <= opt.Memory:
		what += "in blocks of rows it does not fit either: " + why
	case largest.Bytes > opt.taken:
		what += "what else stays while it runs takes its room"
	default: // what keeps it from fitting is around it
		what = "arrays that stay while it runs take its room"
	}
	counted := ""
	if p.Totals.Later {
		counted = " and room for what is counted when it runs,"
	}
	fault := problem.Wrong(problem.MemoryBudget, "", fmt.Sprintf("give --memory at least %s,%s or use a smaller grid", plan.SizeFor(least+opt.taken), counted),
		"stage %s needs %s of arrays at once, and %s; %s", step.Name, amount.Bytes(t.PeakBytes+opt.taken), budget(t.PeakBytes+opt.taken, opt.Memory+opt.taken), what)
	fault.At = step.Where()
	return fault
}

// budget says what arrays may take of the memory that a run is given, of which weft itself keeps some, where needs is more.
func budget(needs, arrays int64) string {
	says := "the budget is " + amount.Bytes(arrays)
	if limit := plan.LimitFor(arrays); plan.OfArrays(limit) < limit {
		says += fmt.Sprintf(", which is what a limit of %s leaves to arrays", plan.SizeFor(arrays))
	}
	if amount.Bytes(needs) == amount.Bytes(arrays) {
		says += fmt.Sprintf(", %d B less", needs-arrays)
	}
	return says
}

// largestAtPeak is the step at which most is alive and its largest array.
func largestAtPeak(p *bound.Plan) (step bound.Step, largest bound.Buffer) {
	i := slices.IndexFunc(p.Steps, func(s bound.Step) bool { return s.ID == p.Totals.PeakAt })
	step = p.Steps[i]
	for _, id := range slices.Concat(step.Reads, step.Writes) {
		if buf := p.Buffer(id); buf.Bytes > largest.Bytes {
			largest = *buf
		}
	}
	return step, largest
}
