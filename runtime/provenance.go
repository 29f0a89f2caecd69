package runtime

import (
	"context"
	"encoding/json"
	"slices"

	"weft/ops"
	"weft/ops/problem"
	"weft/planner/bound"
	"weft/planner/plan"
	"weft/runtime/journal"
	"weft/runtime/memory"
	"weft/runtime/result"
)

// ticket is the right to the memory that the plan's arrays take at once.
func (r *run) ticket() (*memory.Ticket, error) {
	if r.opt.Memory == nil {
		return nil, nil
	}
	bytes := r.plan.Totals.PeakBytes
	if r.plan.Stream != nil {
		bytes = r.plan.Stream.PeakBytes
	}
	t, err := r.opt.Memory.Acquire(r.plan.File, bytes)
	if err != nil {
		return nil, problem.Wrong(problem.MemoryBudget, "", "run again: the plan is made for what is free then", "the memory that the plan was made for is not there any more: %s", err)
	}
	return t, nil
}

// identify hashes the files that sources read, for what is recorded with the outputs.
func (r *run) identify() error {
	if r.opt.Discard || !slices.ContainsFunc(r.plan.Steps, func(s bound.Step) bool {
		return s.Kind == plan.SinkStep && s.Op.File() != ""
	}) {
		return nil
	}
	for _, s := range r.plan.Sources() {
		var err error
		if r.inputs, err = journal.Identify(r.inputs, s.Op.File()); err != nil {
			return &result.StageError{Stage: s.Name, Where: s.Op.Where, Err: problem.Wrong(problem.ReadFailed, "path", "", "%s", err)}
		}
	}
	return nil
}

// context tells a sink where what it writes comes from.
func (r *run) context(ctx context.Context, sink *bound.Step) (context.Context, error) {
	decisions, err := json.Marshal(r.plan.Decided)
	if err != nil {
		return nil, err
	}
	devices, precision := r.plan.Computed()
	p := &ops.Provenance{Weft: r.plan.Weft, File: r.plan.File, Plan: r.plan.Hash, Devices: devices, Precision: precision, Beside: r.opt.Provenance,
		Origin: r.opt.Origin, Sink: sink.ID, Decisions: decisions, Computed: r.accelerators(), Failed: r.failedFile(sink)}
	p.Computed[r.opt.Devices[0].Info().Name] = r.opt.Devices[0].Info().Text()
	for _, in := range r.inputs {
		in.Modified = 0 // a copy of the same file gives the same output
		p.Inputs = append(p.Inputs, in)
	}
	return ops.WithProvenance(ctx, p), nil
}
