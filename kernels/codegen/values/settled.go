package values

import (
	. "weft/kernels/codegen/tree"
	"weft/kernels/ir"
	"weft/kernels/schedule/inside"
)

// rarely is the part of all iterations up to which a condition may fail so that blocks of them are tested for it as a whole.
const rarely = 0.1

// settled is a choice between values by a condition that changes with the iteration of a block alone and rarely fails, such as that a place lies inside of an
// array. In the copy of a body for blocks whose spans are narrow it is made: blocks where the condition fails somewhere run the other copy.
func (g *Generator) settled(n *ir.Node, v int, m Layout) (Value, bool) {
	sc := g.Top()
	if n.Op != ir.Select || !g.Nearer || m != ByLane || sc.Block == nil {
		return Value{}, false
	}
	c := n.Args[0]
	if g.Laned(c) || !c.Free().Meets(sc.Binds) || c.Free().Meets(sc.Fold.AccBind) || !mostly(c) {
		return Value{}, false
	}
	bad := g.B.Not(c)
	g.guard(sc.Block, GuardTest{bad, g.Canon(g.Vary.Of(bad), v)})
	return g.Val(n.Args[1], v, m), true
}

// mostly reports comparisons of whole numbers that follow from axes and fail for few of their values.
func mostly(c *ir.Node) bool {
	tests, ok := inside.Tests(c)
	for _, l := range tests {
		least, most := float64(l.C), float64(l.C)
		for _, t := range l.Terms {
			if t.N.Kind != ir.KAxis || t.N.Role == ir.RoleAcc {
				return false
			}
			lo, hi, sure := ir.SureRange(t.N, nil)
			if !sure {
				return false
			}
			least += min(lo*float64(t.Coef), hi*float64(t.Coef))
			most += max(lo*float64(t.Coef), hi*float64(t.Coef))
		}
		ok = ok && -least <= rarely*(most-least)
	}
	return ok
}
