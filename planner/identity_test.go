package planner

import (
	"testing"

	"weft/ops"
	"weft/planner/bound"
)

// What is fused does not change what a plan computes; another operator, size or table does.
func TestIdentity(t *testing.T) {
	build := func(n int, make func(w *world, in ops.Array) ops.Array, opt Options) *bound.Plan {
		w := &world{}
		return planned(t, opt, w.sink(make(w, w.ramp(n))))
	}
	blurred := func(w *world, in ops.Array) ops.Array { return w.blur(w.double(in)) }
	free, limited := Options{}, Options{Request: Request{FuseLimit: new(1)}}
	p, q := build(1<<12, blurred, free), build(1<<12, blurred, limited)
	if p.Hash == q.Hash || p.Totals.Kernels == q.Totals.Kernels {
		t.Fatalf("both plans have %d kernels", p.Totals.Kernels)
	}
	if p.Identity() != q.Identity() {
		t.Error("fusing changes the identity")
	}
	for name, other := range map[string]*bound.Plan{
		"size":     build(1<<11, blurred, free),
		"operator": build(1<<12, func(w *world, in ops.Array) ops.Array { return w.blur(w.dear(in)) }, free),
		"order":    build(1<<12, func(w *world, in ops.Array) ops.Array { return w.double(w.blur(in)) }, free),
	} {
		if other.Identity() == p.Identity() {
			t.Errorf("another %s, and the same identity", name)
		}
	}
}
