package schedule

import (
	"testing"

	"weft/kernels/ir"
)

// A chunk has all points of an axis where threads share out others, one more step if the last is no whole one, and parts of it where there are none; what a
// slice takes of all operands stays in a core's own cache.
func TestChunksOfManyProducts(t *testing.T) {
	for _, c := range []struct {
		others, sums, split, lags int
	}{{60, 1, 4096, 96}, {60, 2, productBlock, 96}, {2, 1, 4096, 48}} {
		b := ir.NewBuilder()
		axes := []*ir.Node{b.Axis("star", 64), b.Axis("lag", 95), b.Axis("template", c.others)}
		away := b.Sub(axes[1], b.I32(47))
		k := &ir.Kernel{Name: "lags", Axes: axes}
		var accs []*ir.Node
		for range c.sums {
			accs = append(accs, b.F64(0))
		}
		sums := b.Fold(ir.FoldSpec{Lo: b.I32(0), Hi: b.I32(4096), Init: accs, Monoid: ir.Sum}, func(i *ir.Node, acc []*ir.Node) (step []*ir.Node, _ *ir.Node) {
			for q := range c.sums {
				at := b.Max(b.I32(0), b.Min(b.I32(4095), b.Sub(i, away)))
				star := b.Load(&ir.Buffer{Name: "star", Type: ir.F32, Shape: []int{4096, 64}}, i, axes[0])
				template := b.Load(&ir.Buffer{Name: "template", Type: ir.F32, Shape: []int{c.others, 4096}}, axes[2], at)
				step = append(step, b.Add(acc[q], b.Cast(ir.F64, b.Mul(star, template))))
			}
			return step, nil
		})
		for q := range c.sums {
			k.Stores = append(k.Stores, ir.Store{Buf: &ir.Buffer{Name: "out", Type: ir.F64, Shape: []int{64, 95, c.others}}, Index: axes, Value: sums[q]})
		}
		got := Default(k, AVX512)
		if !got.Pack || got.Split != c.split || len(got.Chunk) != 2 || got.Chunk[0] != (AxisN{1, c.lags}) {
			t.Errorf("%d templates, %d sums: %s", c.others, c.sums, got.Text(k))
		}
	}
}
