package schedule

import (
	"slices"
	"testing"

	"weft/kernels/ir"
)

// Two points together load what all points have in common where that is more than a core keeps from one to the next.
func TestPointsShareWhatIsFar(t *testing.T) {
	const points, sums = 64, 65
	for turns, together := range map[int]int{1000: 1, 4000: 2} {
		b := ir.NewBuilder()
		i := b.Axis("i", points)
		weights, seen := &ir.Buffer{Name: "P", Type: ir.F64, Shape: []int{sums, turns}}, &ir.Buffer{Name: "S", Type: ir.F64, Shape: []int{points, turns}}
		total := b.Fold(ir.FoldSpec{Lo: b.I32(0), Hi: b.I32(turns), Init: slices.Repeat([]*ir.Node{b.F64(0)}, sums), Monoid: ir.Sum}, func(j *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
			s, out := b.Alu(ir.Exp, b.Load(seen, i, j)), make([]*ir.Node, sums)
			for q := range out {
				out[q] = b.Add(acc[q], b.Mul(s, b.Load(weights, b.I32(q), j)))
			}
			return out, nil
		})
		k := &ir.Kernel{Name: "weighted", Axes: []*ir.Node{i}}
		for q, x := range total {
			k.Stores = append(k.Stores, ir.Store{Buf: &ir.Buffer{Name: "O", Type: ir.F64, Shape: []int{points, sums}}, Index: []*ir.Node{i, b.I32(q)}, Value: x})
		}
		s := Default(k, AVX512)
		if !s.FoldLanes || Product(s.Unroll) != together || s.Group*together != 12 {
			t.Errorf("%d turns: %s", turns, s)
		}
	}
}
