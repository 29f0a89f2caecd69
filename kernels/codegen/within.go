package codegen

import (
	"slices"

	"weft/kernels/codegen/tile"
	. "weft/kernels/codegen/tree"
	"weft/kernels/ir"
	"weft/kernels/schedule"
)

// nearlyContiguous reads side by side what lies so but for the ends of an array, where indices are held, wrapped or mirrored: a test tells whether
// all lanes are inside and wanted, and where they are not, they are gathered. ok is false for other indices.
func (g *gen) nearlyContiguous(a *access) (x Value, ok bool) {
	if a.m != byLane || a.guarded && a.guard.Vec || g.W == 1 || g.masked(a.at) || a.n.Buf.Type == ir.Bool {
		return x, false
	}
	l, conditions := schedule.Within(a.l, func(n *ir.Node) bool { return g.isVec(n, byLane) })
	if len(conditions) == 0 {
		return x, false
	}
	_, rest := g.split(l, byLane)
	if pattern, known := g.lanePattern(rest, byLane); !known || !tile.Strided(pattern, 1) {
		return x, false
	}
	var tests []*Expr
	if a.guarded {
		tests = append(tests, a.guard.Regs[0])
	}
	if g.inside(conditions) {
		conditions = nil
	}
	for _, c := range conditions {
		_, rest := g.split(c, byLane)
		pattern, known := g.lanePattern(rest, byLane)
		if !known {
			return x, false
		}
		tests = append(tests, Bin(">=", g.first(c, a.v), Int(-slices.Min(pattern))))
	}
	n := a.n
	g.count("contiguous", n)
	g.exactLoads++
	x = Named(n.Type, g.fresh("v"))
	a.sc.declare(x, Value{})
	p := g.pointer(n.Buf, l, a.v, origin)
	if len(tests) == 0 {
		a.sc.add(Assign(x, Each(n.Type, func(h int) *Expr { return Call(PartFunc("load", n, h), p) }))...)
		return x, true
	}
	whole := Each(n.Type, func(h int) *Expr { return Call(PartFunc("load", n, h), p) })
	apart := *a
	apart.sc = newScope(a.sc.binds)
	y := g.gatherLoad(&apart)
	apart.sc.add(Assign(x, y)...)
	a.sc.add(If{Cond: All("&&", tests...), Then: Assign(x, whole), Else: apart.sc.body})
	return x, true
}

// inside reports whether a variant is that for tiles where conditions hold.
func (g *gen) inside(conditions []ir.Linear) bool {
	return len(g.Schedule.Lanes) == 1 && g.Counts == nil && g.notes.inside.Meet(g.Axes, g.Schedule.Lanes[0].Axis, conditions) && g.Tail == tile.Inside
}

// first is an index at lane 0.
func (g *gen) first(l ir.Linear, v int) *Expr {
	sum := g.b.Int(ir.I64, l.C)
	for _, t := range l.Terms {
		sum = g.b.Add(sum, g.b.Mul(g.b.Int(ir.I64, t.Coef), g.b.Cast(ir.I64, t.N)))
	}
	return g.val(sum, v, origin).Regs[0]
}
