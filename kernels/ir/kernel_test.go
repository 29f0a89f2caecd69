package ir

import "testing"

// Parts of a dim that points of an axis store belong to blocks of them only where they lie one behind the other and leave nothing out.
func TestEach(t *testing.T) {
	const n = 100
	for name, c := range map[string]struct {
		extent, want int
		ends         func(b *Builder, axis *Node) (lo, hi *Node)
	}{
		"parts": {15, 7, func(b *Builder, axis *Node) (lo, hi *Node) {
			lo = b.Mul(axis, b.I32(7))
			return lo, b.Min(b.Add(lo, b.I32(7)), b.I32(n))
		}},
		"parts of equal length": {10, 10, func(b *Builder, axis *Node) (lo, hi *Node) {
			lo = b.Mul(axis, b.I32(10))
			return lo, b.Add(lo, b.I32(10))
		}},
		"parts that overlap": {15, 0, func(b *Builder, axis *Node) (lo, hi *Node) {
			lo = b.Mul(axis, b.I32(7))
			return lo, b.Min(b.Add(lo, b.I32(8)), b.I32(n))
		}},
		"parts with gaps": {15, 0, func(b *Builder, axis *Node) (lo, hi *Node) {
			lo = b.Mul(axis, b.I32(7))
			return lo, b.Min(b.Add(lo, b.I32(6)), b.I32(n))
		}},
		"too few parts": {14, 0, func(b *Builder, axis *Node) (lo, hi *Node) {
			lo = b.Mul(axis, b.I32(7))
			return lo, b.Min(b.Add(lo, b.I32(7)), b.I32(n))
		}},
		"all for each": {15, 0, func(b *Builder, axis *Node) (lo, hi *Node) { return b.I32(0), b.I32(n) }},
	} {
		b := NewBuilder()
		axis, out := b.Axis("x", c.extent), &Buffer{Name: "out", Type: F32, Shape: []int{n}}
		lo, hi := c.ends(b, axis)
		f := b.Turns("i", lo, hi, []*Node{axis}, func(*Node) {})
		k := &Kernel{Axes: []*Node{axis}, Stores: []Store{{Buf: out, Index: []*Node{f.Index}, Value: b.F32(1), In: f}}}
		if got := k.Each(); got != c.want {
			t.Errorf("%s: %d rows, want %d", name, got, c.want)
		}
		k.Stores[0].Index = []*Node{b.I32(3)}
		if got := k.Each(); got != 0 {
			t.Errorf("%s, stored elsewhere: %d rows", name, got)
		}
	}
	b := NewBuilder()
	x := b.Axis("x", n)
	if got := (&Kernel{Axes: []*Node{x}, Stores: []Store{{Buf: &Buffer{Name: "out", Type: F32, Shape: []int{n}}, Index: []*Node{x}, Value: b.F32(1)}}}).Each(); got != 1 {
		t.Errorf("point by point: %d rows", got)
	}
}
