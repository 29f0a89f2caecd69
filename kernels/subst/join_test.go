package subst

import (
	"slices"
	"testing"

	"weft/kernels/interp"
	"weft/kernels/ir"
	"weft/kernels/ir/rules"
)

// Two kernels over the same points are one, which loads once what both load; what either stores is the same.
func TestJoin(t *testing.T) {
	const rows, columns = 3, 7
	buffer := func(name string, shape ...int) *ir.Buffer { return &ir.Buffer{Name: name, Type: ir.F32, Shape: shape} }
	in, one, level := buffer("in", rows, columns), buffer("one"), buffer("level", columns)
	left, right := buffer("left", rows, columns), buffer("right", rows, columns)
	kernel := func(out *ir.Buffer, value func(b *ir.Builder, at, x *ir.Node) *ir.Node, skipped int) *ir.Kernel {
		b := ir.NewBuilder()
		for range skipped { // binders have other numbers in the other kernel
			b.Axis("none", 2)
		}
		y, x := b.Axis("y", rows), b.Axis("x", columns)
		return &ir.Kernel{Name: out.Name, Axes: []*ir.Node{y, x}, Stores: []ir.Store{{Buf: out, Index: []*ir.Node{y, x}, Value: value(b, b.Load(in, y, x), x)}}}
	}
	half := func(b *ir.Builder, at *ir.Node) *ir.Node {
		return b.Add(b.Mul(at, b.ArgOr(ir.F32, "g", 2.5)), b.Mul(b.Load(one), b.F32(0.5)))
	}
	p := kernel(left, func(b *ir.Builder, at, x *ir.Node) *ir.Node { return b.Sub(half(b, at), b.Load(level, x)) }, 0)
	q := kernel(right, func(b *ir.Builder, at, x *ir.Node) *ir.Node { return b.Max(half(b, at), b.Cast(ir.F32, x)) }, 2)
	both := Join(p, q)
	if err := rules.Check(both); err != nil {
		t.Fatal(err)
	}
	if n := len(both.Nodes()); n >= len(p.Nodes())+len(q.Nodes())-5 {
		t.Errorf("%d nodes of %d and %d: nothing is shared", n, len(p.Nodes()), len(q.Nodes()))
	}
	data := make([]float64, rows*columns)
	for i := range data {
		data[i] = float64(i*i%13) - 4
	}
	run := func(k *ir.Kernel) (out [][]float64) {
		c, err := interp.Compile(k, interp.Exact)
		if err != nil {
			t.Fatal(err)
		}
		stored := interp.Inputs{Host: map[*ir.Buffer][]float64{in: data, one: data[:1], level: data[:columns]}}
		for i := range rows * columns {
			samples, err := c.Eval(t.Context(), stored, [][]int{{i / columns, i % columns}})
			if err != nil {
				t.Fatal(err)
			}
			var row []float64
			for _, v := range samples[0] {
				row = append(row, v.F)
			}
			out = append(out, row)
		}
		return out
	}
	got, first, second := run(both), run(p), run(q)
	for i := range got {
		if !slices.Equal(got[i], slices.Concat(first[i], second[i])) {
			t.Fatalf("point %d: %v, want %v and %v", i, got[i], first[i], second[i])
		}
	}
}
