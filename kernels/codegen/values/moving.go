package values

import (
	"slices"

	. "weft/kernels/codegen/tree"
	"weft/kernels/ir"
)

// ofTurns is the address of what lies at a place that is computed, in turns that are made one behind the other: what follows from axes is added up around all of them, once,
// so that each multiplies and adds its place by one instruction, and has what is known of it beside. nil: there are no such turns, or it does not go along them.
func (g *Generator) ofTurns(buf *ir.Buffer, l ir.Linear, v int, m Layout) *Expr {
	t := g.Turns
	if t == nil || g.BesideAxis == nil || g.Schedule.Skip || m != ByLane || g.OwnStart(t.Fold) || !g.shortIndex(buf, l) {
		return nil
	}
	around := slices.Index(g.Stack, t.Around)
	var fixed, places ir.Linear
	along := int64(0)
	for _, x := range l.Terms {
		switch {
		case x.N == t.Fold.Index:
			along = x.Coef
		case g.Depth(x.N) < around:
			fixed.Terms = append(fixed.Terms, x)
		default:
			places.Terms = append(places.Terms, x)
		}
	}
	if around < 0 || along == 0 {
		return nil
	}
	depth := 0
	for _, x := range fixed.Terms {
		depth = max(depth, g.Depth(x.N))
	}
	from := g.held(g.Stack[depth], buf, g.Pointer(buf, fixed, v, m))
	at := g.held(t.Around, buf, Add(from, Times(Cast("long", g.ownIndex(t.Around, buf)), along)))
	var sums []Summand
	for _, x := range places.Terms {
		sums = append(sums, Summand{g.Depth(x.N), Times(Cast("long", g.Val(x.N, v, m).Regs[0]), x.Coef)})
	}
	at = g.Chain(at, sums, func(sc *Scope, e *Expr) *Expr { return g.OnceAs(sc, e, g.BufType(buf)+" *const", "p") })
	return Add(at, Int(l.C+along*int64(t.At)))
}

// turnsIndex is the index of such turns in an address that goes along them.
func (g *Generator) turnsIndex(sc *Scope, buf *ir.Buffer, l ir.Linear) *Expr {
	if !g.Schedule.Skip && len(l.Terms) == 1 { // all threads have the same address, which compilers would move from where such are kept for each load
		return g.ownIndex(sc, buf)
	}
	return g.own(sc, buf, g.Turns.Fold.Index, Name(AxisName(g.Turns.Fold.Index)))
}

// ownIndex is the index of such turns for a buffer alone: an address is multiplied and added by one instruction then.
func (g *Generator) ownIndex(sc *Scope, buf *ir.Buffer) *Expr {
	return sc.Make("index of "+g.BufName(buf).Text, func() Value { return Value{Regs: [2]*Expr{g.heldInt(sc, Name(AxisName(g.Turns.Fold.Index)))}} }).Regs[0]
}
