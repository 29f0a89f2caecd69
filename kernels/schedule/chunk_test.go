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

// What is packed of a matrix for a product with a few vectors stays in a core's own cache: all vectors take it there at once, and it goes through once.
func TestChunksOfFewVectors(t *testing.T) {
	for _, c := range []struct{ rows, turns, vectors, chunk int }{{4000, 2000, 8, 80}, {4000, 4000, 10, 48}, {4000, 2000, 400, 192}} {
		b := ir.NewBuilder()
		axes := []*ir.Node{b.Axis("row", c.rows), b.Axis("vector", c.vectors)}
		k := &ir.Kernel{Name: "products", Axes: axes}
		sum := b.Fold(ir.FoldSpec{Lo: b.I32(0), Hi: b.I32(c.turns), Init: []*ir.Node{b.F64(0)}, Monoid: ir.Sum}, func(i *ir.Node, acc []*ir.Node) (step []*ir.Node, _ *ir.Node) {
			matrix := b.Load(&ir.Buffer{Name: "matrix", Type: ir.F64, Shape: []int{c.rows, c.turns}}, axes[0], i)
			vector := b.Load(&ir.Buffer{Name: "vector", Type: ir.F64, Shape: []int{c.vectors, c.turns}}, axes[1], i)
			return []*ir.Node{b.Add(acc[0], b.Mul(matrix, vector))}, nil
		})
		k.Stores = []ir.Store{{Buf: &ir.Buffer{Name: "out", Type: ir.F64, Shape: []int{c.rows, c.vectors}}, Index: axes, Value: sum[0]}}
		got := Default(k, AVX512)
		if !got.Pack || len(got.Chunk) != 2 || got.Chunk[0].N != c.chunk || c.vectors < 40 && got.Chunk[1].N < c.vectors {
			t.Errorf("%d vectors: %s", c.vectors, got.Text(k))
		}
	}
}
