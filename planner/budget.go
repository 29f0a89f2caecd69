package planner

import (
	"fmt"
	"slices"

	"weft/ops/problem"
	"weft/planner/blocks"
	"weft/planner/bound"
	"weft/planner/module"
	"weft/planner/plan"
)

// fitted makes a plan that does not fit the memory budget run in blocks of rows, and refuses one that does not fit so either.
func fitted(m *module.Module, opt Options) error {
	p, t := m.Plan, m.Plan.Totals
	if opt.Memory <= 0 || t.PeakBytes <= opt.Memory {
		return nil
	}
	why, least := "what is counted when it runs is not cut", t.PeakBytes
	if !p.Counted() {
		why, least = blocks.Fit(p, m.Device.Kind, opt.Memory)
	}
	if why == "" {
		return nil
	}
	step, largest := largestAtPeak(p)
	fault := problem.Wrong(problem.MemoryBudget, "", fmt.Sprintf("give --memory at least %s, or use a smaller grid", sizeFor(least+opt.taken)),
		"stage %s needs %s of arrays at once, and the budget is %s; the largest is %s %s (%s); in blocks of rows it does not fit either: %s",
		step.Name, plan.FormatBytes(t.PeakBytes+opt.taken), plan.FormatBytes(opt.Memory+opt.taken), largest.Stage, largest.Type, plan.FormatBytes(largest.Bytes), why)
	fault.At = step.Where()
	return fault
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

// sizeFor writes a budget that holds so many bytes, as --memory takes it.
func sizeFor(n int64) string {
	for _, u := range []struct {
		bytes int64
		name  string
	}{{1 << 20, "MiB"}, {1 << 10, "KiB"}} {
		if n >= 16*u.bytes {
			return fmt.Sprintf("%d%s", (n+u.bytes-1)/u.bytes, u.name)
		}
	}
	return fmt.Sprintf("%dB", n)
}
