package planner

import (
	"encoding/json"
	"maps"
	"testing"

	"weft/kernels/profile"
	"weft/ops"
	"weft/planner/bound"
	"weft/planner/cost"
	"weft/planner/plan"
)

// machine is a model of a machine whose arithmetic takes so many times as long as usual.
func machine(slower float64) *cost.Model {
	p := profile.Default(2)
	for c := range p.Ops {
		p.Ops[c] *= slower
	}
	return &cost.Model{Profile: p, Kind: "native", Threads: 2}
}

// A verdict follows the machine, and a plan is made again from what was decided, also by way of a file.
func TestDecisionsMakeThePlanAgain(t *testing.T) {
	sinks := func() []*ops.Instance {
		w := &world{}
		return []*ops.Instance{w.sink(w.blur(w.double(w.ramp(1 << 20))))}
	}
	fast, slow := machine(1), machine(3000)
	quick := planned(t, Options{Cost: fast}, sinks()...)
	dear := planned(t, Options{Cost: slow}, sinks()...)
	if quick.Hash == dear.Hash {
		t.Fatal("the same plan where arithmetic takes 3000 times as long: nothing is tested")
	}
	for _, c := range []struct {
		name  string
		of    *bound.Plan
		model *cost.Model
	}{{"fused on a slow machine", quick, slow}, {"stored on a fast machine", dear, fast}} {
		text, err := json.Marshal(c.of.Decided)
		if err != nil {
			t.Fatal(err)
		}
		var d plan.Decisions
		if err := json.Unmarshal(text, &d); err != nil {
			t.Fatal(err)
		}
		again := planned(t, Options{Request: Request{Decided: &d}, Cost: c.model}, sinks()...)
		if again.Hash != c.of.Hash || !maps.Equal(again.Decided.Fused, c.of.Decided.Fused) {
			t.Errorf("%s: plan %s, not %s; decided %v", c.name, again.Hash, c.of.Hash, again.Decided)
		}
	}
}

// What runs teach changes predictions, not plans.
func TestLearningDoesNotChangePlans(t *testing.T) {
	sinks := func() []*ops.Instance {
		w := &world{}
		return []*ops.Instance{w.sink(w.blur(w.double(w.ramp(1 << 20))))}
	}
	m := machine(1)
	m.History = cost.OpenHistory(t.TempDir(), m.Profile)
	before := planned(t, Options{Cost: m}, sinks()...)
	k := before.Steps[0].Kernel
	for range 5 {
		if err := m.Learn([]cost.Observation{{Hash: k.Hash, Ops: k.Ops, Bound: k.Bound, Predicted: 1, Measured: 10}}); err != nil {
			t.Fatal(err)
		}
	}
	after := planned(t, Options{Cost: m}, sinks()...)
	if after.Hash != before.Hash {
		t.Error("another plan")
	}
	if r := after.Steps[0].Kernel.Predicted / before.Steps[0].Kernel.Predicted; r < 5 {
		t.Errorf("predictions changed %.2f times: nothing was learned", r)
	}
}
