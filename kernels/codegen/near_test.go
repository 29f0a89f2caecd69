package codegen_test

import (
	"strings"
	"testing"

	render "weft/kernels/codegen/c"
	"weft/kernels/ir"
	"weft/kernels/ir/rules"
	"weft/kernels/schedule"
)

// A march over float32 heights by float64 distances is made in float32, and in float64 only in a branch; where the distances differ from row to row, rows in
// flight are made in float64 at once.
func TestMarchesInFloat32(t *testing.T) {
	for _, x := range []struct {
		name string
		near bool
		row  func(b *ir.Builder, y *ir.Node) *ir.Node
	}{
		{"one distance", true, func(b *ir.Builder, y *ir.Node) *ir.Node { return b.I32(1) }},
		{"a distance for each row", false, func(b *ir.Builder, y *ir.Node) *ir.Node { return y }},
	} {
		b := ir.NewBuilder()
		y, c := b.Axis("y", 40), b.Axis("c", 64)
		a, rise, out := f32("a", 40, 200), &ir.Buffer{Name: "rise", Type: ir.F64, Shape: []int{40, 100}}, &ir.Buffer{Name: "out", Type: ir.Bool, Shape: []int{40, 64}}
		v := b.Fold(ir.FoldSpec{Lo: b.I32(0), Hi: b.I32(100), Init: []*ir.Node{b.False()}, Monoid: ir.Any}, func(i *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
			level := b.Sub(b.Cast(ir.F64, b.Load(a, y, b.Add(c, i))), b.Load(rise, x.row(b, y), i))
			return []*ir.Node{b.Or(acc[0], b.Lt(b.Cast(ir.F64, b.Load(a, y, c)), level))}, nil
		})[0]
		k := &ir.Kernel{Name: "march", Axes: []*ir.Node{y, c}, Stores: []ir.Store{{Buf: out, Index: []*ir.Node{y, c}, Value: v}}}
		if err := rules.Check(k); err != nil {
			t.Fatal(err)
		}
		s := schedule.CPU{Order: []int{0, 1}, Lanes: []schedule.AxisN{{Axis: 1, N: 16}}, Unroll: []schedule.AxisN{{Axis: 0, N: 2}}}
		got, err := render.Render(k, s, schedule.Target{Lanes: 16}, "f", render.Way{})
		if err != nil {
			t.Fatal(err)
		}
		before, _, branch := strings.Cut(got.Source, "if (__builtin_expect(v_any(")
		if branch != x.near || strings.Contains(before, "v_max_f(") != x.near || strings.Contains(before, "v_max_d(") == x.near {
			t.Errorf("%s: want float32 before a branch: %v\n%s", x.name, x.near, got.Source)
		}
	}
}
