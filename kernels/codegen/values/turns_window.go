package values

import (
	"weft/kernels/codegen/form"
	. "weft/kernels/codegen/tree"
	"weft/kernels/ir"
	"weft/kernels/schedule"
)

// span is where consecutive iterations find elements of a row that lie near each other.
type span string

// turnsWindow is a load of consecutive iterations along a row at places rounded from floats, as an unaligned vector load and a permute where they lie within a
// window, which begins at the least of them: that is found by the places themselves. Elsewhere they are gathered.
func (g *Generator) turnsWindow(a *access) (Value, bool) {
	n, sc := a.n, a.sc
	if g.Schedule.Window == 0 || len(n.Buf.Shape) == 0 || !schedule.Windows(n.Buf.Type) || n.Buf.Cells() > maxGather || g.Masked(a.at) || a.guard.Vec {
		return Value{}, false
	}
	row, inner := form.RowAndInner(n)
	if _, rest := g.Split(row, a.m); len(rest.Terms) > 0 || inner.Type != ir.I32 || !schedule.Rounds(inner) {
		return Value{}, false
	}
	at := g.Val(inner, a.v, a.m)
	if a.covered {
		limit := InnerLimit(n, at, 1)
		at = sc.Make(span(limit.Regs[0].String()), func() Value { return g.Name(sc, limit) })
	}
	if g.Some.Vec { // lanes that are no iterations lie where the first one does
		some := Select(g.Some, at, Scalar(ir.I32, At(at.Regs[0], Int(0))))
		at = sc.Make(span("some"+at.Regs[0].Text), func() Value { return g.Name(sc, some) })
	}
	key := func(what string) span { return span(what + at.Regs[0].Text) }
	first := sc.Make(key("first"), func() Value { return g.Name(sc, Scalar(ir.I32, Call("v_hmin_i", at.Regs[0]))) })
	rel := sc.Make(key("rel"), func() Value { return g.Name(sc, Op(ir.Sub, ir.I32, at, first)) })
	far := sc.Make(key("far"), func() Value {
		return g.Name(sc, Scalar(ir.Bool, Call("v_any", Bin(">", rel.Regs[0], Int(int64(g.Schedule.Window-1))))))
	})
	g.Count("window", n)
	p := g.Pointer(n.Buf, row, a.v, a.m)
	if a.guarded { // the same for all: there may be no such row
		p = Choose(a.guard.Regs[0], p, g.BufName(n.Buf))
	}
	class := map[int]string{16: "v_win16", 32: "v_win32"}[g.Schedule.Window]
	from := Bin("+", p, Cast("long", first.Regs[0]))
	g.later(a, from, g.Schedule.Window)
	x := Named(n.Type, g.Fresh("v"))
	sc.Declare(x, Value{})
	near := Assign(x, Each(n.Type, func(h int) *Expr { return Call(PartFunc(class, n, h), from, rel.Regs[0]) }))
	gathers := NewScope(ir.Set{})
	q := g.indices(gathers, rel.Regs[0])
	gathers.Add(Assign(x, Each(n.Type, func(h int) *Expr { return Call(PartFunc("gather", n, h), from, q) }))...)
	sc.Add(If{Cond: far.Regs[0], Rare: true, Then: gathers.Body, Else: near})
	return g.otherwise(a, x, a.guard), true
}
