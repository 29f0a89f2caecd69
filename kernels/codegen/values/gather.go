package values

import (
	"fmt"

	"weft/kernels/codegen/form"
	"weft/kernels/codegen/tile"
	. "weft/kernels/codegen/tree"
	"weft/kernels/ir"
	"weft/kernels/schedule/groups"
)

func (g *Generator) gatherLoad(a *access) Value {
	n := a.n
	if on, ok := g.Active(a.at, g.Vary.Of(n), a.v); ok {
		if a.guarded {
			on = And(a.guard, on)
		}
		a.guard, a.guarded = on, true
	}
	g.present(a)
	if a.guarded {
		a.guard = g.Name(a.sc, a.guard)
	}
	if n.Buf.Cells() > maxGather {
		x := Named(n.Type, g.Fresh("v"))
		a.sc.Declare(x, Value{})
		var on *Expr
		if a.guarded {
			on = a.guard.AsVec().Regs[0]
		}
		a.sc.Add(g.laneLoop(a, x, on)...)
		return g.otherwise(a, x, a.guard)
	}
	p, at := g.gatherAt(a)
	x := g.Name(a.sc, Each(n.Type, func(h int) *Expr { return Call(PartFunc("gather", n, h), p, at) }))
	return g.otherwise(a, x, a.guard)
}

// GatherPlaces puts where consecutive iterations find what they gather into memory.
func (g *Generator) GatherPlaces(sc *Scope, n *ir.Node, v int) {
	g.gatherAt(&access{n: n, l: ir.Flatten(n.Buf, n.Index()), v: v, m: ByIteration, at: g.Depth(n), sc: sc})
}

// present guards a load at places that are loaded where lanes may be no iterations: places are proved to lie inside up to the last one alone.
func (g *Generator) present(a *access) {
	if a.m != ByIteration || !g.Some.Vec {
		return
	}
	loaded := false
	ir.WalkNodes(a.n.Index(), func(n *ir.Node) { loaded = loaded || n.Kind == ir.KLoad && n.Free().Meets(g.Iter.IndexBind) })
	if loaded {
		on := g.Some
		if a.guarded {
			on = And(a.guard, on)
		}
		a.guard, a.guarded = on, true
	}
}

// gatherAt is where lanes of a gather lie: a pointer, and an array of indices from there.
func (g *Generator) gatherAt(a *access) (p, at *Expr) {
	var idx Value
	buf, u := a.n.Buf, ir.Linear{}
	switch {
	case a.covered:
		row, inner := form.RowAndInner(a.n)
		idx = InnerLimit(a.n, g.Val(inner, a.v, a.m), 1)
		if idx.Type == ir.I64 {
			idx = Op(ir.Cast, ir.I32, idx)
		}
		rest := row
		if !a.guarded {
			u, rest = g.Split(row, a.m)
		}
		if len(rest.Terms) > 0 || rest.C != 0 {
			x := g.VecIndex(buf, rest, a.v, a.m)
			if a.guarded {
				x = x.AsVec()
			}
			idx = Op(ir.Add, ir.I32, idx, x)
		}
		p = g.Pointer(buf, u, a.v, a.m)
	case a.guarded:
		p, idx = g.BufName(buf), g.VecIndex(buf, a.l, a.v, a.m)
	default:
		u, rest := g.Split(a.l, a.m)
		if pattern, known := g.LanePattern(rest, a.m); known && a.m == ByLane {
			return g.Pointer(buf, a.l, a.v, Origin), g.Offsets(a.sc, pattern)
		}
		p = g.Pointer(buf, u, a.v, a.m)
		if at := g.listed(a, rest); at != nil {
			return p, at
		}
		idx = g.VecIndex(buf, rest, a.v, a.m)
	}
	if a.guarded {
		idx = Op(ir.BitAnd, ir.I32, idx, a.guard)
	}
	return p, g.indices(a.sc, idx.AsVec().Regs[0])
}

// listed is an array of indices that lie side by side in memory as whole numbers, each read from there by itself; nil: they do not. A vector of them
// would go back to memory first.
func (g *Generator) listed(a *access, l ir.Linear) *Expr {
	if len(l.Terms) != 1 || l.Terms[0].Coef != 1 {
		return nil
	}
	n := l.Terms[0].N
	for n.Kind == ir.KAlu && n.Op == ir.Cast && n.Type == ir.I32 {
		n = n.Args[0]
	}
	if n.Kind != ir.KLoad || n.Guarded || n.Type != ir.I32 || n.Buf.Type == ir.Bool || g.Masked(g.Depth(n)) {
		return nil
	}
	at := ir.Flatten(n.Buf, n.Index())
	_, rest := g.Split(at, a.m)
	if pattern, known := g.LanePattern(rest, a.m); !known || !tile.Strided(pattern, 1) {
		return nil
	}
	start := a.m
	if start == ByLane {
		start = Origin
	}
	from := g.Pointer(n.Buf, at, a.v, start)
	g.Count("contiguous", n)
	return a.sc.Make(listed(from.String()), func() Value {
		name := Name(g.Fresh("q"))
		list := make([]*Expr, g.W)
		for i := range list {
			list[i] = At(from, Int(i))
		}
		a.sc.Add(Array{Type: "int", Name: name.Text, N: Name("W"), Values: list})
		return Value{Regs: [2]*Expr{name}}
	}).Regs[0]
}

// otherwise puts the load's other value where a guard does not hold.
func (g *Generator) otherwise(a *access, x, guard Value) Value {
	if _, o := a.n.Guard(); !a.guarded || o == nil {
		return x
	}
	return g.Name(a.sc, Select(guard, x, g.otherValue(a)))
}

// hidden and known tell arrays of indices apart from other things made once.
type (
	hidden string
	known  string
	listed string
)

// indices puts the indices of lanes into memory, once for all loads that lie at the same ones from different addresses.
func (g *Generator) indices(sc *Scope, idx *Expr) *Expr {
	return sc.Make(hidden(idx.String()), func() Value {
		at := Name(g.Fresh("q"))
		sc.Add(Array{Type: "int", Name: at.Text, N: Name("W"), Aligned: true}, Set{To: Deref("vi", at), Value: idx}, Do(Call("HIDE", at)))
		return Value{Regs: [2]*Expr{at}}
	}).Regs[0]
}

// Offsets is an array of known distances between lanes.
func (g *Generator) Offsets(sc *Scope, pattern []int64) *Expr {
	return sc.Make(known(fmt.Sprint(pattern)), func() Value {
		at := Name(g.Fresh("q"))
		list := make([]*Expr, len(pattern))
		for i, x := range pattern {
			list[i] = Int(x)
		}
		sc.Add(Array{Type: "int", Name: at.Text, N: Name("W"), Values: list})
		return Value{Regs: [2]*Expr{at}}
	}).Regs[0]
}

// together is a load as its group gives it, and guardOf the guard of a group, by its first load.
type (
	together struct {
		n *ir.Node
		v int
		m Layout
	}
	guardOf together
)

// groupLoad computes all loads of a group, whose elements lie side by side, when the first of them is wanted.
func (g *Generator) groupLoad(group []*ir.Node, a *access) Value {
	g.Count(fmt.Sprintf("gather of %d", len(group)), a.n)
	guard := guardOf{group[0], a.v, a.m}
	key := func(n *ir.Node) together { return together{n, a.v, a.m} }
	if _, ok := a.sc.Once[key(a.n)]; !ok {
		g.present(a)
		if a.guarded {
			a.guard = g.Name(a.sc, a.guard)
		}
		first := *a
		first.n, first.l = group[0], ir.Flatten(group[0].Buf, group[0].Index())
		p, at := g.gatherAt(&first)
		base := g.Fresh("v")
		args := []*Expr{p, at}
		for i, n := range group {
			x := Name(fmt.Sprintf("%s_%d", base, i))
			a.sc.Add(Var(Spelled[n.Type].Vector, x.Text, nil))
			args = append(args, Pre("&", x))
			a.sc.Once[key(n)] = Vector(n.Type, x)
		}
		for range groups.Brought(len(group)) - len(group) {
			x := Name(base + "_over")
			a.sc.Add(Var(Spelled[a.n.Type].Vector, x.Text, nil))
			args = append(args, Pre("&", x))
		}
		a.sc.Add(Do(Call(fmt.Sprintf("gather%d_%s", groups.Brought(len(group)), a.n.Buf.Type), args...)))
		a.sc.Once[guard] = a.guard
	}
	return g.otherwise(a, a.sc.Once[key(a.n)], a.sc.Once[guard])
}
