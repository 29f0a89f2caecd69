package search

import (
	"context"
	"slices"

	"weft/kernels/device"
	"weft/ops"
	"weft/planner/bound"
	"weft/planner/plan"
	"weft/runtime/audit"
)

// output is an array with a tolerance, and what it should hold at sampled points.
type output struct {
	id     string
	rule   ops.ErrorRule
	taken  audit.Sample
	settle func(audit.Sample) audit.Sample // tells ties from errors
}

// Samples are as many as a budget of scalar operations allows, within these bounds.
const (
	sampleBudget  = 40e6 // of all outputs: a few tenths of a second
	fewestSamples = 32
	mostSamples   = 1024
	dearestSample = 2e6
)

// sample picks points of an output among those that the trial computed and evaluates them in float64. Points that the metric
// does not look at are not taken. ok is false where even few points would take too long.
func (o *output) sample(ctx context.Context, t *trial, on device.Device, budget float64, seed uint64) (ok bool, err error) {
	b := t.plan.Buffer(o.id)
	ref := t.plan.Reference([]*ops.Stage{b.Array}, func(s *ops.Stage) bool { return s != b.Array && t.filled(s) }, 0)
	reference, err := audit.Define(ref, []*ops.Stage{b.Array})
	if err != nil {
		return false, err
	}
	if ref.Cost > dearestSample && reference.Compilable() {
		install, _, err := audit.Compile(ctx, on, []*audit.Reference{reference})
		if err != nil {
			return false, err
		}
		install()
	}
	if reference.Price() > dearestSample {
		return false, nil
	}
	a := t.Array(b)
	peak := a.Peak(t.threads)
	n := int(max(fewestSamples, min(mostSamples, budget/max(1, reference.Price()))))
	maker := t.maker(o.id)
	tiles := t.tiles(maker)
	few := min(n, len(tiles))
	var points [][]int
	for i := range few {
		loudest := func(audit.Array) float64 { return peak }
		over := tiles[i*len(tiles)/few]
		if maker.Kernel != nil {
			over = maker.Kernel.Elements(over)
		}
		points = append(points, audit.Pick([]audit.Array{a}, loudest, over, (n+few-1)/few, seed)...)
	}
	taken, err := audit.Take(ctx, reference, []audit.Array{a}, points, t.Mem(), t.threads)
	if err != nil {
		return false, err
	}
	o.taken = taken[0]
	o.taken.Largest = peak
	o.settle = func(s audit.Sample) audit.Sample {
		settled := []audit.Sample{s}
		settled[0].Want = slices.Clone(s.Want)
		reference.Settle(settled, points, t.Mem())
		return settled[0]
	}
	return len(points) > 0, nil
}

// filled reports whether the trial has a stage's array as a whole.
func (t *trial) filled(s *ops.Stage) bool {
	for _, b := range t.plan.Buffers {
		if b.Array == s && t.Mem()[b.Bufs[0]] != nil {
			m := t.maker(b.ID)
			return m == nil || t.parts[m.ID] == nil
		}
	}
	return false
}

// maker is the step that fills a buffer; nil for tables.
func (t *trial) maker(id string) *bound.Step {
	for i := range t.plan.Steps {
		for _, w := range t.plan.Steps[i].Writes {
			if w == id {
				return &t.plan.Steps[i]
			}
		}
	}
	return nil
}

// prove compares the outputs of a trial with float64.
func prove(t *trial, outputs []*output) (proofs []plan.Proof) {
	for _, o := range outputs {
		b := t.plan.Buffer(o.id)
		s := o.settle(o.taken.In(t.Array(b)))
		f := audit.Compare(o.rule.Metric, s.Got, s.Want, s.Largest)
		p := plan.Proof{Output: audit.Name(b), Metric: o.rule.Metric, Tolerance: o.rule.Tolerance, Unit: b.Unit, Max: f.Worst, P99: f.P99,
			Judged: audit.Judged(o.rule.Metric), Samples: f.Samples, Mismatched: f.Mismatched, Ties: s.Ties}
		proofs = append(proofs, p)
	}
	return proofs
}

// mostCompared is how many elements of an output are compared one by one.
const mostCompared = 1 << 21

// narrowed compares the outputs of a trial of other types with float64, and all their elements with those of the plan as it is, unless some lie
// beside discontinuities.
func (f *finder) narrowed(t, base *trial) []plan.Proof {
	proofs := prove(t, f.outputs)
	for i, o := range f.outputs {
		if strain(proofs) <= 1 && proofs[i].Ties == 0 {
			proofs[i].Every = o.everywhere(t, base)
		}
	}
	return proofs
}

// everywhere is the error of all elements against those of another trial; 0: some are not there, they are too many, or not the largest error is judged.
func (o *output) everywhere(t, base *trial) (worst float64) {
	got, want := t.Array(t.plan.Buffer(o.id)), base.Array(base.plan.Buffer(o.id))
	size := want.Of.Layout.Whole().Points()
	if audit.Judged(o.rule.Metric) != "max" || !base.filled(want.Of.Array) || size > mostCompared {
		return 0
	}
	for row := range int(size) / max(1, want.Parts[0].Width()) {
		f := audit.Compare(o.rule.Metric, got.RowValues(row), want.RowValues(row), o.taken.Largest)
		if f.Mismatched > 0 {
			return infinite
		}
		worst = max(worst, f.Worst)
	}
	return worst
}

// safe reports errors that leave enough of the tolerances: those of all elements what the plan as it is may need, of which there are samples;
// those of samples alone more, since they are not everything.
func (f *finder) safe(proofs []plan.Proof) bool {
	for i, p := range proofs {
		most := p.Every + f.own[i].Figure()/safety
		if p.Every == 0 {
			most = p.Figure() / safety
		}
		if p.Mismatched > 0 || most > p.Tolerance {
			return false
		}
	}
	return true
}

// within reports errors of at most that part of their tolerances.
func within(proofs []plan.Proof, part float64) bool { return strain(proofs) <= part }

// strain is the largest part of its tolerance that an error takes; more than any where values are not finite that should be.
func strain(proofs []plan.Proof) float64 {
	most := 0.0
	for _, p := range proofs {
		if p.Mismatched > 0 {
			return infinite
		}
		most = max(most, p.Figure()/p.Tolerance)
	}
	return most
}
