package ir

import "testing"

// Nodes of two builders have the same numbers; a Memo tells them apart, and keeps what it knows while it grows.
func TestMemo(t *testing.T) {
	var m Memo[int]
	var nodes []*Node
	for range 2 {
		b := NewBuilder()
		n := b.Axis("x", 8)
		for range 300 {
			n = b.Add(n, b.Axis("y", 8))
			nodes = append(nodes, n)
			if b.Binders() == MaxBinders {
				break
			}
		}
	}
	for i, n := range nodes {
		if _, ok := m.Of(n); ok {
			t.Fatalf("node %d is known before it was put", i)
		}
		m.Put(n, i)
		m.Put(n, i+1)
	}
	for i, n := range nodes {
		if v, ok := m.Of(n); !ok || v != i+1 {
			t.Errorf("of node %d %d is known, %v", i, v, ok)
		}
	}
	if _, ok := m.Of(NewBuilder().F32(1)); ok {
		t.Error("a node of another builder is known")
	}
}

// What nodes depend on lies in one place, and is what they are made of, also in a builder that extends another.
func TestDependsIsShared(t *testing.T) {
	b := NewBuilder()
	x, y := b.Axis("x", 8), b.Axis("y", 8)
	p, q := b.Add(x, y), b.Mul(y, x)
	if p.Depends() == nil || p.Depends() != q.Depends() || p.Depends() != b.Add(p, x).Depends() {
		t.Error("values of x and y depend on them in several places")
	}
	if want := x.Bind().Or(y.Bind()); p.Free() != want {
		t.Errorf("x + y depends on %v, not %v", p.Free(), want)
	}
	if c := b.I32(3); c.Depends() != nil || !c.Free().Empty() {
		t.Error("a constant depends on something")
	}
	inner := b.Fold(FoldSpec{Lo: b.I32(0), Hi: x, Init: []*Node{b.I32(0)}, Monoid: Sum}, func(i *Node, acc []*Node) ([]*Node, *Node) {
		return []*Node{b.Add(acc[0], b.Add(i, y))}, nil
	})[0]
	if inner.Free() != x.Bind().Or(y.Bind()) || inner.Depends() != p.Depends() {
		t.Errorf("a sum up to x of y depends on %v", inner.Free())
	}
	e := Extend([]*Node{p, inner})
	if n := e.Add(p, e.I32(7)); n.Depends() != p.Depends() {
		t.Error("a builder that extends another keeps what its nodes depend on elsewhere")
	}
}
