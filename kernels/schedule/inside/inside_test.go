package inside_test

import (
	"slices"
	"testing"

	"weft/kernels/ir"
	"weft/kernels/schedule/inside"
)

// TestLookThroughChoices looks through an index that is another one outside of an array: only where that is the same everywhere, and all conditions are
// comparisons of whole numbers.
func TestLookThroughChoices(t *testing.T) {
	b := ir.NewBuilder()
	i, j := b.Axis("i", 40), b.Axis("j", 40)
	at := b.Add(i, b.I32(2))
	in := b.And(b.Le(b.I32(0), at), b.Lt(at, b.I32(40)))
	varies := func(n *ir.Node) bool { return n.Free().Meets(i.Bind()) }
	look := func(n *ir.Node) (ir.Linear, []ir.Linear) {
		l := ir.Linear{}
		l.Add(n, 1)
		return inside.Look(l, varies)
	}
	within, conditions := look(b.Select(in, at, b.I32(0)))
	line := func(l ir.Linear, along, c int64) bool {
		return l.C == c && slices.Equal(l.Terms, []ir.Term{{N: i, Coef: along}})
	}
	if !line(within, 1, 2) || len(conditions) != 2 || !line(conditions[0], 1, 2) || !line(conditions[1], -1, 37) {
		t.Errorf("within %v where %v are not negative", within, conditions)
	}
	for _, n := range []*ir.Node{
		b.Select(in, at, b.Sub(b.I32(39), i)),                                         // another one that varies
		b.Select(in, j, b.I32(0)),                                                     // nothing that varies
		b.Select(b.Lt(b.Cast(ir.F32, at), b.F32(40)), at, b.I32(0)),                   // rounded
		b.Select(b.Alu(ir.Or, b.Lt(at, b.I32(9)), b.Lt(b.I32(20), at)), at, b.I32(0)), // one or the other
	} {
		if _, conditions := look(n); len(conditions) > 0 {
			t.Errorf("looks through what chooses otherwise: %v", conditions)
		}
	}
}
