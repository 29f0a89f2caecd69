package report

import (
	"testing"

	"weft/kernels/ir"
)

// Of blocks of 25 points with 50 loads each, a point takes two, and those of its own.
func TestLoadsOfInnerTurns(t *testing.T) {
	b := ir.NewBuilder()
	in, w := &ir.Buffer{Name: "in", Type: ir.F32, Shape: []int{1000}}, &ir.Buffer{Name: "w", Type: ir.F32, Shape: []int{1000}}
	sum := func(n int, term func(i *ir.Node) *ir.Node) *ir.Node {
		return b.Fold(ir.FoldSpec{Lo: b.I32(0), Hi: b.I32(n), Init: []*ir.Node{b.F32(0)}, Monoid: ir.Sum}, func(i *ir.Node, a []*ir.Node) ([]*ir.Node, *ir.Node) {
			return []*ir.Node{b.Add(a[0], term(i))}, nil
		})[0]
	}
	v := sum(40, func(i *ir.Node) *ir.Node {
		return b.Mul(b.Load(w, i), sum(25, func(j *ir.Node) *ir.Node { return b.Load(in, b.Add(b.Mul(i, b.I32(25)), j)) }))
	})
	k := &ir.Kernel{Name: "sums", Stores: []ir.Store{{Buf: &ir.Buffer{Name: "out", Type: ir.F32, Shape: []int{1}}, Index: []*ir.Node{b.I32(0)}, Value: v}}}
	outer := v.Fold
	if inner, each := perTurn(k, outer, 50); inner == nil || each != 3 {
		t.Errorf("%g loads for each turn of %v, want 3", each, inner)
	}
	var in25 *ir.Fold
	k.Walk(func(n *ir.Node) {
		if n.Kind == ir.KFold && n.Fold != outer {
			in25 = n.Fold
		}
	})
	if inner, _ := perTurn(k, in25, 1); inner != nil {
		t.Error("the innermost loop has one in its turns")
	}
}
