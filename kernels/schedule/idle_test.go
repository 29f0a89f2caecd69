package schedule

import (
	"math"
	"testing"

	"weft/kernels/ir"
)

// Turns of a sum are tested where all terms need one condition, and a turn is more work than the test.
func TestTurnsThatAddNothing(t *testing.T) {
	for name, c := range map[string]struct {
		first, otherwise float64
		roots            int
		another, want    bool
	}{
		"heavy":                  {roots: 5, want: true},
		"light":                  {roots: 1},
		"starts at -0":           {roots: 5, first: math.Copysign(0, -1)},
		"adds something":         {roots: 5, otherwise: 1},
		"of different condition": {roots: 5, another: true},
	} {
		b := ir.NewBuilder()
		x := b.Axis("x", 64)
		a := &ir.Buffer{Name: "a", Type: ir.F32, Shape: []int{100}}
		init := []*ir.Node{b.F32(c.first), b.F32(0)}
		sum := b.Fold(ir.FoldSpec{Lo: b.I32(0), Hi: b.I32(100), Init: init, Monoid: ir.Sum}, func(i *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
			v := b.Add(b.Load(a, i), b.Cast(ir.F32, x))
			for range c.roots {
				v = b.Sqrt(b.Add(v, b.F32(1)))
			}
			one, other := b.Lt(i, x), b.Lt(i, x)
			if c.another {
				other = b.Lt(x, i)
			}
			return []*ir.Node{b.Add(acc[0], b.Select(one, v, b.F32(c.otherwise))), b.Add(acc[1], b.Select(other, b.Add(v, b.F32(1)), b.F32(0)))}, nil
		})
		k := &ir.Kernel{Name: "sum", Axes: []*ir.Node{x}}
		for i, v := range sum {
			k.Stores = append(k.Stores, ir.Store{Buf: &ir.Buffer{Name: string(rune('p' + i)), Type: ir.F32, Shape: []int{64}}, Index: []*ir.Node{x}, Value: v})
		}
		if got := Default(k, AVX512); got.Skip != c.want {
			t.Errorf("%s: %s", name, got.Text(k))
		}
	}
}
