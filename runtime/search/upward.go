package search

import (
	"context"
	"errors"

	"weft/kernels/ir"
	"weft/ops/problem"
	"weft/planner/bound"
	"weft/planner/graph"
	"weft/planner/plan"
	"weft/runtime/audit"
)

// double is float64 for all that the outputs are made from.
func (f *finder) double() plan.Choices {
	out := plan.Choices{}
	need := upstream(f.base, f.ids())
	for i := range f.base.Buffers {
		if b := &f.base.Buffers[i]; b.Role == plan.FromKernel && need[b.ID] && b.Layout.Elem.Base == ir.F32 {
			out[graph.Key(b.Array)] = plan.Choice{Storage: ir.F64, Compute: ir.F64}
		}
	}
	return out
}

// upward looks for a precision above f32 that meets the tolerances: float64 sums, then float64 throughout.
func (f *finder) upward(ctx context.Context, base *trial) (*bound.Plan, error) {
	sums := plan.Choices{}
	for key, c := range f.double() {
		c.Storage, c.Compute, c.Accumulate = 0, 0, ir.F64
		sums[key] = c
	}
	for _, c := range []struct {
		what    string
		choices plan.Choices
	}{{"f64 sums", sums}, {"f64", f.double()}} {
		p, err := f.plan(c.choices)
		if err != nil {
			return nil, err
		}
		t, err := f.trial(ctx, p, base)
		if err != nil {
			return nil, err
		}
		proofs := prove(t, f.outputs)
		tried := &plan.Candidate{Stage: "everything", Name: c.what, Proofs: proofs, Verdict: "beyond the tolerance"}
		if within(proofs, 1) {
			tried.Verdict = "chosen: f32 is beyond the tolerance"
			f.said.Proofs, f.said.Choices = proofs, c.choices
			f.said.Candidates = append(f.said.Candidates, tried)
			return p, nil
		}
		f.said.Candidates = append(f.said.Candidates, tried)
	}
	return nil, f.unreachable()
}

func leave(list []*attempt, why string) {
	for _, a := range list {
		a.said.Verdict = why
	}
}

// asks reports a tolerance of the user's that f32 does not meet and that no @precision stands in the way of: a run reports
// the others.
func (f *finder) asks(proofs []plan.Proof) bool {
	for i, o := range f.outputs {
		s := f.base.Buffer(o.id).Array
		if _, ok := audit.Asked(s); ok && !within(proofs[i:i+1], 1) && f.base.Forced(s) == "" {
			return true
		}
	}
	return false
}

func (f *finder) unreachable() error {
	last := f.said.Candidates[len(f.said.Candidates)-1]
	for i, p := range last.Proofs {
		if strain(last.Proofs[i:i+1]) > 1 {
			at := f.base.Buffer(f.outputs[i].id).Array
			w := problem.Wrong(problem.ToleranceUnreachable, "", "allow more with @tolerance",
				"%s cannot be had within %s: f64 throughout measures %s over %d samples",
				p.Output, p.Quantity(p.Tolerance), p.Quantity(p.Figure()), p.Samples)
			w.At = at.Where
			return w
		}
	}
	return errors.New("search: no precision meets the tolerances")
}
