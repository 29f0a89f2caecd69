package values

import (
	"slices"

	. "weft/kernels/codegen/tree"
	"weft/kernels/ir"
)

// chosen is a choice between floats that is the same on all lanes, where every reader wants it on all of them: it is made there. What is loaded comes to all lanes by
// one instruction, and a comparison there gives a mask; of single numbers it goes through the registers of whole ones and back, and then to all lanes: products
// with what is left of a sparse matrix below a threshold took 1.2 to 1.4 of the time.
func (g *Generator) chosen(n *ir.Node, v int, m Layout) (Value, bool) {
	if n.Op != ir.Select || !n.Type.Float() || g.W == 1 || g.Target.ISA == "cuda" || g.IsVec(n, m) || len(g.Stack) == 1 || g.Depth(n) == 0 || !g.spread()[n] {
		return Value{}, false
	}
	c := n.Args[0]
	if c.Kind != ir.KAlu || c.Op.Info().Gives != ir.Truth || c.Op.Info().Takes == ir.Bools || c.Args[0].Type != n.Type {
		return Value{}, false
	}
	test := Compare(c.Op, g.Val(c.Args[0], v, m), g.Val(c.Args[1], v, m), true)
	return Select(test, g.Val(n.Args[1], v, m), g.Val(n.Args[2], v, m)), true
}

// spread are the choices that are the same on all lanes, of which all readers are arithmetic of floats that differ between them.
func (g *Generator) spread() map[*ir.Node]bool {
	if g.spreads != nil {
		return g.spreads
	}
	g.spreads = map[*ir.Node]bool{}
	other := map[*ir.Node]bool{}
	read := func(list []*ir.Node, lanes bool) {
		for _, n := range list {
			if n != nil && n.Kind == ir.KAlu && n.Op == ir.Select && !g.Laned(n) {
				g.spreads[n] = g.spreads[n] || lanes
				other[n] = other[n] || !lanes
			}
		}
	}
	g.Kernel.Walk(func(n *ir.Node) {
		read(n.Args, n.Kind == ir.KAlu && n.Type.Float() && n.Op != ir.Cast && g.Laned(n))
		if f := n.Fold; n.Kind == ir.KFold {
			read(slices.Concat([]*ir.Node{f.Lo, f.Hi, f.While}, f.Init, f.Step), false)
		}
	})
	read(g.Kernel.Roots(), false)
	for n := range other {
		if other[n] {
			delete(g.spreads, n)
		}
	}
	return g.spreads
}
