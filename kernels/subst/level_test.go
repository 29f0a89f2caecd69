package subst

import (
	"testing"

	"weft/kernels/ir"
)

// Rows that go on where others end are one row; where something is the same for all rows, stands apart, or follows from a place, they are not.
func TestLevel(t *testing.T) {
	const rows, columns = 6, 8
	kernel := func(value func(b *ir.Builder, y, x *ir.Node) *ir.Node) *ir.Kernel {
		b := ir.NewBuilder()
		y, x := b.Axis("y", rows), b.Axis("x", columns)
		out := &ir.Buffer{Name: "out", Type: ir.F32, Shape: []int{rows, columns}}
		return &ir.Kernel{Name: "k", Axes: []*ir.Node{y, x}, Stores: []ir.Store{{Buf: out, Index: []*ir.Node{y, x}, Value: value(b, y, x)}}}
	}
	in := &ir.Buffer{Name: "in", Type: ir.F32, Shape: []int{rows, columns}}
	wide := &ir.Buffer{Name: "wide", Type: ir.F32, Shape: []int{rows, columns + 2}}
	row := &ir.Buffer{Name: "row", Type: ir.F32, Shape: []int{columns}}
	one := &ir.Buffer{Name: "one", Type: ir.F32, Shape: []int{1}}
	for _, c := range []struct {
		name  string
		value func(b *ir.Builder, y, x *ir.Node) *ir.Node
		want  bool
	}{
		{"the same place", func(b *ir.Builder, y, x *ir.Node) *ir.Node {
			return b.Mul(b.Load(in, y, x), b.Load(one, b.I32(0)))
		}, true},
		{"the place behind", func(b *ir.Builder, y, x *ir.Node) *ir.Node { return b.Load(in, y, b.Add(x, b.I32(1))) }, true},
		{"wider rows", func(b *ir.Builder, y, x *ir.Node) *ir.Node { return b.Load(wide, y, x) }, false},
		{"one row for all", func(b *ir.Builder, y, x *ir.Node) *ir.Node { return b.Load(row, x) }, false},
		{"the place itself", func(b *ir.Builder, y, x *ir.Node) *ir.Node { return b.Cast(ir.F32, x) }, false},
		{"a place that is loaded", func(b *ir.Builder, y, x *ir.Node) *ir.Node {
			return b.Load(in, y, b.Cast(ir.I32, b.Load(row, x)))
		}, false},
	} {
		k := kernel(c.value)
		got := Level(k)
		if (got != nil) != c.want {
			t.Errorf("%s: one row is %t", c.name, got != nil)
		}
		if got == nil {
			continue
		}
		if len(got.Axes) != 1 || got.Axes[0].Extent != rows*columns || len(k.Axes) != 2 {
			t.Errorf("%s: axes %v", c.name, got.Axes)
		}
		if l := ir.Flatten(got.Stores[0].Buf, got.Stores[0].Index); l.Along(got.Axes[0]) != 1 || l.C != 0 {
			t.Errorf("%s: stores at %+v", c.name, l)
		}
	}
}
