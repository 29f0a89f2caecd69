package bound

import (
	"weft/planner/cost"
	"weft/planner/plan"
)

// Whole is what a run as a whole is called among what it does apart from kernels.
const Whole = "run"

// besides predicts what a run does apart from its kernels, and how long it takes as a whole.
func (p *Plan) besides() {
	t := &p.Totals
	t.Besides = nil
	add := func(what, kind string, seconds float64) {
		ms := 1e3 * p.Costs.Model.Beside(p.Hash, what, kind, seconds)
		t.Besides = append(t.Besides, plan.Beside{What: what, Kind: kind, Ms: ms, Model: 1e3 * seconds})
	}
	kernels, arrays := map[string]bool{}, 0
	for _, k := range p.Kernels() {
		kernels[k.Kernel.Hash] = true
		arrays += len(k.Writes)
	}
	if len(kernels) > 0 {
		add("load", "load", cost.Loading(len(kernels)))
		add("check", "check", cost.Checking(arrays))
	}
	for i := range p.Steps {
		switch s := &p.Steps[i]; s.Kind {
		case plan.ReadStep:
			add(s.ID, "read", cost.Transferring(p.transferred(s.ID, s.Writes)))
		case plan.SinkStep:
			add(s.ID, "write", cost.Transferring(p.transferred(s.ID, s.Reads)))
		case plan.DriveStep:
			add(s.ID, "drive", 1e-3*s.Expected())
		}
	}
	t.Wall = 1e3 * p.Costs.Model.Beside(p.Hash, Whole, Whole, p.Sequential())
}

// Sequential is what kernels and all else of a run are predicted to take one after the other, in seconds.
func (p *Plan) Sequential() float64 {
	ms := p.Totals.Predicted
	for _, b := range p.Totals.Besides {
		ms += b.Ms
	}
	return 1e-3 * ms
}

// transferred is what a source or a sink moves: in blocks, more than once what several of them need.
func (p *Plan) transferred(step string, ids []string) (n int64) {
	for _, pass := range p.passes() {
		n += pass.Moves(step)
	}
	if n > 0 {
		return n
	}
	for _, id := range ids {
		n += p.Buffer(id).Bytes
	}
	return n
}

// Expected is how long a drive takes that makes all the calls it may, in ms.
func (s *Step) Expected() (ms float64) {
	for i, program := range s.Drive.Programs {
		each, first := s.Call(i)
		ms += each*float64(program.Most) + first
	}
	return ms
}
