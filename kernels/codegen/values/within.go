package values

import (
	"slices"

	"weft/kernels/codegen/form"
	"weft/kernels/codegen/tile"
	. "weft/kernels/codegen/tree"
	"weft/kernels/ir"
	"weft/kernels/schedule/inside"
)

// nearlyContiguous reads side by side what lies so, forwards or backwards, but for the ends of an array, where indices are held, wrapped or mirrored: a test tells whether
// all lanes are inside and wanted, and where they are not, they are gathered. ok is false for other indices. Lanes that are iterations beyond the last read what lies
// there, which nothing looks at.
func (g *Generator) nearlyContiguous(a *access) (x Value, ok bool) {
	if a.m == Origin || a.m == ByIteration && a.covered || a.guarded && a.guard.Vec || g.W == 1 || g.Masked(a.at) || a.n.Buf.Type == ir.Bool {
		return x, false
	}
	l, conditions := inside.Look(a.l, func(n *ir.Node) bool { return g.IsVec(n, a.m) })
	if len(conditions) == 0 {
		return x, false
	}
	start := a.m
	if start == ByLane {
		start = Origin
	}
	_, rest := g.Split(l, a.m)
	pattern, known := g.LanePattern(rest, a.m)
	backward := known && tile.Strided(pattern, -1) && !a.covered
	if !backward && !(known && tile.Strided(pattern, 1)) {
		return x, false
	}
	var tests []*Expr
	if a.guarded {
		tests = append(tests, a.guard.Regs[0])
	}
	if a.m == ByLane && g.inside(conditions) {
		conditions = nil
	}
	for _, c := range conditions {
		_, rest := g.Split(c, a.m)
		pattern, known := g.LanePattern(rest, a.m)
		if !known {
			return x, false
		}
		tests = append(tests, Bin(">=", g.first(c, a.v, a.m), Int(-slices.Min(pattern))))
	}
	n := a.n
	g.Count(map[bool]string{false: "contiguous", true: "backward"}[backward], n)
	g.ExactLoads++
	x = Named(n.Type, g.Fresh("v"))
	a.sc.Declare(x, Value{})
	var p *Expr
	if a.covered { // as far as padding reaches
		row, inner := form.RowAndInner(n)
		p = g.Pointer(n.Buf, row, a.v, Origin, extra(a.at, g.Name(a.sc, InnerLimit(n, g.Val(inner, a.v, Origin), g.W))))
	} else {
		p = g.Pointer(n.Buf, l, a.v, start)
	}
	whole := Each(n.Type, func(h int) *Expr { return Call(PartFunc("load", n, h), p) })
	if backward {
		whole = g.backward(n, p)
	}
	if len(tests) == 0 {
		a.sc.Add(Assign(x, whole)...)
		return x, true
	}
	apart := *a
	apart.sc = NewScope(a.sc.Binds)
	y := g.gatherLoad(&apart)
	apart.sc.Add(Assign(x, y)...)
	a.sc.Add(If{Cond: All("&&", tests...), Then: Assign(x, whole), Else: apart.sc.Body})
	return x, true
}

// inside reports whether a variant is that for tiles where conditions hold.
func (g *Generator) inside(conditions []ir.Linear) bool {
	return len(g.Schedule.Lanes) == 1 && g.Counts == nil && g.Notes.Inside.Meet(g.Axes, g.Schedule.Lanes[0].Axis, conditions) && g.Tail == tile.Inside
}

// first is an index at lane 0.
func (g *Generator) first(l ir.Linear, v int, m Layout) *Expr {
	if m == ByIteration {
		return g.atFirst(l, v)
	}
	sum := g.B.Int(ir.I64, l.C)
	for _, t := range l.Terms {
		sum = g.B.Add(sum, g.B.Mul(g.B.Int(ir.I64, t.Coef), g.B.Cast(ir.I64, t.N)))
	}
	return g.Val(sum, v, Origin).Regs[0]
}
