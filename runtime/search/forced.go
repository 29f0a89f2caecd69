package search

import (
	"context"

	"weft/kernels/ir"
	"weft/ops/problem"
	"weft/planner/graph"
	"weft/planner/plan"
	"weft/runtime/audit"
)

// unforced is the base with arrays in the types that operators say where @precision asks for few digits: what those do is measured against
// it. It is the base itself where nothing is asked for, or where kernels would be others.
func (f *finder) unforced(ctx context.Context, base *trial) (*trial, error) {
	choices := plan.Choices{}
	for i := range f.base.Buffers {
		if b := &f.base.Buffers[i]; b.Narrowed() && b.Array.Hints().Precision.Storage != 0 {
			choices[graph.Key(b.Array)] = plan.Choice{Storage: ir.F32}
		}
	}
	p, err := f.plan(choices)
	if err != nil || len(choices) == 0 || len(p.Buffers) != len(f.base.Buffers) {
		return base, err
	}
	return f.trial(ctx, p, base)
}

// refused is the mistake of asking for digits that are too few for a tolerance.
func (f *finder) refused(proofs []plan.Proof) error {
	for i, o := range f.outputs {
		s := f.base.Buffer(o.id).Array
		p, asked := proofs[i], f.base.Forced(s)
		if _, ok := audit.Asked(s); !ok || asked == "" || within(proofs[i:i+1], 1) {
			continue
		}
		w := problem.Wrong(problem.ParityViolated, "", "ask for a wider type, or allow more with @tolerance",
			"%s cannot be held with %s: %s differs from float64 by %s over %d samples", p.Quantity(p.Tolerance), asked, p.Output, p.Quantity(p.Figure()), p.Samples)
		w.At = s.Where
		return w
	}
	return nil
}
