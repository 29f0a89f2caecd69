package ir

import (
	"reflect"
	"slices"
	"testing"
)

// The order of a kernel's nodes is remembered for the stores that it has.
func TestWalkFollowsStores(t *testing.T) {
	b := NewBuilder()
	x, out := b.Axis("x", 8), &Buffer{Name: "out", Type: F32, Shape: []int{8}}
	in := b.Load(&Buffer{Name: "in", Type: F32, Shape: []int{8}}, x)
	k := &Kernel{Axes: []*Node{x}, Stores: []Store{{Buf: out, Index: []*Node{x}, Value: in}}}
	walked := func(k *Kernel) (nodes []*Node) {
		k.Walk(func(n *Node) { nodes = append(nodes, n) })
		return nodes
	}
	if got := walked(k); !slices.Equal(got, []*Node{x, in}) {
		t.Fatalf("%d nodes, want 2", len(got))
	}
	other := k.Copy()
	twice, at, guard := b.Add(in, in), b.Sub(b.I32(7), x), b.Alu(Lt, x, b.I32(3))
	for name, change := range map[*Node]func(*Store){
		twice: func(s *Store) { s.Value = twice }, at: func(s *Store) { s.Index[0] = at }, guard: func(s *Store) { s.Guard = guard },
	} {
		change(&k.Stores[0])
		if !slices.Contains(walked(k), name) {
			t.Errorf("%v of a changed store is not visited", name.Op)
		}
	}
	if got := walked(other); slices.Contains(got, twice) {
		t.Error("a copy's stores changed with the kernel's")
	}
}

func TestCopiesAreWhole(t *testing.T) {
	b := NewBuilder()
	x := b.Axis("x", 8)
	k := &Kernel{Name: "k", Axes: []*Node{x}, Stores: []Store{{Value: x}}, Contract: true, Termwise: true, Past: true, Whole: true}
	from, to := reflect.ValueOf(k).Elem(), reflect.ValueOf(k.Copy()).Elem()
	for i := range from.NumField() {
		if f := from.Type().Field(i); f.IsExported() && (from.Field(i).IsZero() || !reflect.DeepEqual(from.Field(i).Interface(), to.Field(i).Interface())) {
			t.Errorf("%s is not copied, or not tried", f.Name)
		}
	}
}
