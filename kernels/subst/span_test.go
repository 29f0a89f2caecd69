package subst

import (
	"testing"

	"weft/kernels/ir"
	"weft/kernels/ir/rules"
)

// A fold that is cut in two, of which the second goes on from where the first ended, gives what it gives as a whole; nested folds go with it.
func TestSpan(t *testing.T) {
	b := ir.NewBuilder()
	x, y := b.Axis("x", 3), b.Axis("y", 1)
	whole := b.Fold(ir.FoldSpec{Lo: b.I32(0), Hi: b.I32(10), Init: []*ir.Node{b.I32(1), x}}, func(i *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
		inner := sumOver(b, i, b.I32(12), func(j *ir.Node) *ir.Node { return b.Add(j, x) })
		return []*ir.Node{b.Add(b.Mul(acc[0], b.I32(3)), inner), acc[1]}, nil
	})
	out := &ir.Buffer{Name: "out", Type: ir.I32, Shape: []int{3, 1}}
	k := &ir.Kernel{Name: "whole", Axes: []*ir.Node{x, y}, Stores: []ir.Store{{Buf: out, Index: []*ir.Node{x, y}, Value: b.Add(whole[0], whole[1])}}}
	const middle = 4
	first, ends := Span(k, []*ir.Fold{whole[0].Fold}, func(b *ir.Builder, _ *ir.Fold, spec *ir.FoldSpec) { spec.Hi = b.I32(middle) })
	if err := rules.Check(first); err != nil {
		t.Fatal(err)
	}
	left := ends[whole[0].Fold][0]
	both := k.Copy()
	both.Stores = append(both.Stores[:1:1], ir.Store{Buf: out, Index: k.Stores[0].Index, Value: left})
	second, _ := Span(both, []*ir.Fold{whole[0].Fold}, func(b *ir.Builder, _ *ir.Fold, spec *ir.FoldSpec) {
		spec.Lo, spec.Init = b.I32(middle), []*ir.Node{left, spec.Init[1]}
	})
	points := [][]int{{0, 0}, {1, 0}, {2, 0}}
	want, got := value(t, k.Stores[0].Value, x, y, points), value(t, second.Stores[0].Value, x, y, points)
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("at %d: %d, want %d", i, got[i], want[i])
		}
	}
	if part := value(t, first.Stores[0].Value, x, y, points); part[0] == want[0] {
		t.Error("some of the turns give what all do")
	}
}
