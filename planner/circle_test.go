package planner_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"weft/kernels/native"
	"weft/kernels/profile"
	"weft/planner"
	"weft/planner/bound"
	"weft/planner/cost"
	"weft/planner/plan"
)

// Two sums, each of what one function gives and of what a place further on gives of the other: the kernel of either sum may store its function on the way, for the other
// one, but not both. Whatever is decided, what a step reads was made before.
func TestKernelsDoNotWaitForEachOther(t *testing.T) {
	const text = `x = axis(i, 0 .. 999999 in 1000000)
back = 999999 - indices(x, i)
a = exp(sin(x / 1000))
b = exp(cos(x / 1000))
(a + b[i: back]) | write("a.npy")
(b + a[i: back]) | write("b.npy")
`
	described, err := native.Describing("avx2")
	if err != nil {
		t.Fatal(err)
	}
	dev := described.Info()
	build := func(fused map[string]bool) *bound.Plan {
		opt := planner.Options{Threads: 2, Cost: &cost.Model{Profile: profile.Default(2), Kind: "native", Rules: dev.Rules, Threads: 2}}
		if fused != nil {
			opt.Decided = &plan.Decisions{Fused: fused}
		}
		p, err := planner.Build(checked(t, text).Sinks, dev, opt)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	edges, met := slices.Sorted(maps.Keys(build(nil).Decided.Fused)), 0
	if len(edges) < 4 || len(edges) > 12 {
		t.Fatalf("%d edges were weighed: %v", len(edges), edges)
	}
	for which := range 1 << len(edges) {
		fused := map[string]bool{}
		for i, e := range edges {
			fused[e] = which>>i&1 == 1
		}
		p, made := build(fused), map[string]bool{}
		for _, s := range p.Steps {
			for _, id := range s.Reads {
				if role := p.Buffer(id).Role; !made[id] && role != plan.FromPlan {
					t.Errorf("%v: %s reads %s before it is made", fused, s.ID, p.Buffer(id).Stage)
				}
			}
			for _, id := range s.Writes {
				made[id] = true
			}
			if len(s.Writes) > 1 {
				met++
			}
		}
	}
	if met == 0 {
		t.Error(fmt.Sprint("no kernel stored anything on the way, of ", edges))
	}
}
