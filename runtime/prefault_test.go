package runtime

import (
	"testing"

	"weft/planner/bound"
	"weft/planner/plan"
)

// A kernel gets its pages while any of the sources right before it is read, not the last alone, which may be a few numbers.
func TestBehindSources(t *testing.T) {
	var steps []bound.Step
	for _, s := range []plan.Step{{ID: "r1", Kind: plan.ReadStep}, {ID: "r2", Kind: plan.ReadStep}, {ID: "k1", Kind: plan.KernelStep}, {ID: "r3", Kind: plan.ReadStep}} {
		steps = append(steps, bound.Step{Step: s})
	}
	r := &run{plan: &bound.Plan{Steps: steps}}
	for source, want := range map[int]string{0: "k1", 1: "k1", 3: ""} {
		got := ""
		if next, _ := r.behindSources(&steps[source]); next != nil {
			got = next[0].ID
		}
		if got != want {
			t.Errorf("behind %s: %q, want %q", steps[source].ID, got, want)
		}
	}
}
