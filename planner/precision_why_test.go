package planner

import (
	"slices"
	"testing"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/ops"
	"weft/planner/plan"
)

// What explain says of types that may not be narrower names those that there are.
func TestWhyTypesAreKept(t *testing.T) {
	for typ, want := range map[string][]string{
		"f32": {"dear is pinned at f32: it feeds the index of dear", "computing is pinned at f32: it feeds the index of dear"},
		"f64": {"dear is in f64, and could not be below f32: it feeds the index of dear",
			"computing is in f64, and could not be below f32: it feeds the index of dear"},
	} {
		w := &world{}
		made := w.made(wide)
		out := w.reading("index", made, func(b *ops.Body, in *ops.Stage, i *ir.Node) *ir.Node {
			return in.At(b, within(b, b.Cast(ir.I32, b.Add(in.At(b, i).Re, b.F32(0.5))))).Re
		})
		w.asks(made, "", typ)
		w.asks(out, "", typ)
		p, err := Build([]*ops.Instance{w.sink(out)}, device.Info{Name: "test"}, Options{Rates: plan.Rates{Flops: 50e9, Bandwidth: 20e9}})
		if err != nil {
			t.Fatal(err)
		}
		var why []string // of the last kernel
		for _, s := range p.Steps {
			if s.Kernel != nil {
				why = s.Kernel.Precision.Why
			}
		}
		if !slices.Equal(why, want) {
			t.Errorf("%s: %q", typ, why)
		}
	}
}
