package schedule

import (
	"slices"
	"testing"

	"weft/kernels/ir"
)

// A fold that is the same all along an axis goes with that innermost, and not by blocks of the other two.
func TestFoldSharedAlongAnAxis(t *testing.T) {
	b := ir.NewBuilder()
	axes := []*ir.Node{b.Axis("x", 64), b.Axis("y", 64), b.Axis("z", 128)}
	load := func(name string, axis, turn *ir.Node) *ir.Node {
		return b.Load(&ir.Buffer{Name: name, Type: ir.F32, Shape: []int{1024, 64}}, turn, axis)
	}
	least := b.Fold(ir.FoldSpec{Lo: b.I32(0), Hi: b.I32(1024), Init: []*ir.Node{b.F32(1e9)}, Monoid: ir.Smallest}, func(i *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
		return []*ir.Node{b.Min(b.Add(load("a", axes[0], i), load("b", axes[1], i)), acc[0])}, nil
	})[0]
	k := &ir.Kernel{Name: "least", Axes: axes, Stores: []ir.Store{{
		Buf: &ir.Buffer{Name: "out", Type: ir.F32, Shape: []int{64, 64, 128}}, Index: axes, Value: b.Add(least, b.Cast(ir.F32, axes[2])),
	}}}
	if got := Default(k, AVX512); !slices.Equal(got.Order, []int{0, 1, 2}) || got.Pack {
		t.Errorf("%s, want z innermost and nothing packed", got.Text(k))
	}
}
