package planner_test

import (
	"math"
	"slices"
	"testing"

	"weft/kernels/profile"
	"weft/planner"
	"weft/planner/bound"
	"weft/planner/cost"
	"weft/planner/graph"
	"weft/planner/module"
	"weft/planner/plan"
)

// chosen is the time of the choice that a verdict made, in ms.
func chosen(e plan.Edge) float64 {
	if e.Code.Fused() {
		return e.FusedMs
	}
	return e.StoredMs
}

// What a verdict weighed is what is said of the kernel that came of it: nearly so when it was weighed, before its arrays were laid out and
// its types chosen, and to the digit wherever both are told.
func TestVerdictsAndKernelsSayTheSameTimes(t *testing.T) {
	texts := programs(t)
	const shared = "shared"
	texts[shared] = "x0 = axis(t, 0 .. 1 in 1000000)\n" + times(12, "x%d = sin(x%d) * x%[2]d\n") + "x12 | decibel(range: 40 dB) | write(\"x.npy\")\n"
	told := 0
	for name, text := range texts {
		dev := avx2(t)
		model := &cost.Model{Profile: profile.Default(4), Kind: "native", Rules: dev.Info().Rules, Threads: 4}
		var weighed []plan.Edge
		p, err := planner.Build(checked(t, text).Sinks, dev.Info(), planner.Options{Threads: 4, Cost: model,
			Request: planner.Request{After: func(pass string, m *module.Module) error {
				if pass == "fuse" {
					weighed = append(weighed, m.Verdicts.Edges...)
				}
				return nil
			}}})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range p.Edges { // kernels that seem to hold thousands of values, of which parts have most in common, are built too
			if name == shared && e.StoredMs > 0 && e.Margin == 0 {
				t.Errorf("%s: %s -> %s is weighed by the sum of its parts", name, e.From, e.To)
			}
		}
		compare := func(when string) {
			kernels := map[string]*bound.Step{}
			for i := range p.Steps { // of this program: those of drives may compute the same stages, in kernels of their own
				if s := &p.Steps[i]; s.Kernel != nil {
					for _, r := range s.Kernel.Roots {
						kernels[graph.Key(r)] = s
					}
				}
			}
			for i, e := range p.Edges {
				s := kernels[e.Kernel]
				if s == nil || len(s.Kernel.Roots) > 1 {
					continue
				}
				told++
				ms, _ := s.Kernel.Expected()
				if math.Abs(chosen(e)-ms) > 1e-9*ms {
					t.Errorf("%s, %s: %s -> %s says %g ms and kernel %s of it %g", name, when, e.From, e.To, chosen(e), s.ID, ms)
				}
				// Passes to come make others cheaper, those that read complex arrays in pairs too; short ones are cut into fewer tiles.
				whole := s.Kernel.IR.Points() == int64(s.Kernel.Roots[0].Type.Len()) && !s.Kernel.Prefault &&
					!slices.ContainsFunc(s.Reads, func(id string) bool { return p.Buffer(id).Interleaved })
				if was := chosen(weighed[i]); whole && ms > 0.5 && (was < ms/1.3 || was > ms*1.3) {
					t.Errorf("%s, %s: %s -> %s was weighed as %g ms and kernel %s of it is said to take %g", name, when, e.From, e.To, was, s.ID, ms)
				}
				if r, is := e.FusedMs/e.StoredMs, weighed[i].FusedMs/weighed[i].StoredMs; math.Abs(r-is) > 1e-9*is {
					t.Errorf("%s, %s: %s -> %s: one choice takes %g times as long as the other, and %g times when they were weighed", name, when, e.From, e.To, r, is)
				}
			}
		}
		compare("planned")
		if err := compile(t, p, 4); err != nil {
			t.Fatal(err)
		}
		compare("compiled")
	}
	if told < 10 {
		t.Errorf("%d times are told twice: nothing is tested", told)
	}
}
