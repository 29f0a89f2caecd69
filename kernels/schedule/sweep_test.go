package schedule

import (
	"testing"

	"weft/kernels/ir"
)

// Sums whose turns lie far apart, of arrays that no cache holds, take slices of turns for lengths of rows, in the order of their turns; small arrays
// do not, nor do turns that lie beside each other.
func TestSumsSweep(t *testing.T) {
	for _, c := range []struct {
		name          string
		turns, points int
		over          func(turn, point *ir.Node) []*ir.Node
		want          bool
	}{
		{"over the first dim", 2000, 4096, func(turn, point *ir.Node) []*ir.Node { return []*ir.Node{turn, point} }, true},
		{"of a small array", 20, 4096, func(turn, point *ir.Node) []*ir.Node { return []*ir.Node{turn, point} }, false},
		{"of short rows", 200000, 40, func(turn, point *ir.Node) []*ir.Node { return []*ir.Node{turn, point} }, false},
		{"over the last dim", 2000, 4096, func(turn, point *ir.Node) []*ir.Node { return []*ir.Node{point, turn} }, false},
	} {
		b := ir.NewBuilder()
		x := b.Axis("x", c.points)
		shape := []int{c.turns, c.points}
		if c.name == "over the last dim" {
			shape = []int{c.points, c.turns}
		}
		in := &ir.Buffer{Name: "in", Type: ir.F32, Shape: shape}
		sum := b.Fold(ir.FoldSpec{Lo: b.I32(0), Hi: b.I32(c.turns), Init: []*ir.Node{b.F64(0)}, Monoid: ir.Sum}, func(k *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
			return []*ir.Node{b.Add(acc[0], b.Cast(ir.F64, b.Load(in, c.over(k, x)...)))}, nil
		})
		kernel := &ir.Kernel{Name: "sums", Axes: []*ir.Node{x}, Stores: []ir.Store{{Buf: &ir.Buffer{Name: "out", Type: ir.F64, Shape: []int{c.points}}, Index: []*ir.Node{x}, Value: sum[0]}}}
		for _, target := range []Target{AVX512, AVX2} {
			got := Default(kernel, target)
			if sweeps := len(got.Chunk) > 0; sweeps != c.want {
				t.Errorf("%s, %s: %s", c.name, target.ISA, got)
			}
			if !AddsAlike(kernel, target, got) {
				t.Errorf("%s, %s: %s adds up in another order", c.name, target.ISA, got)
			}
		}
	}
}
