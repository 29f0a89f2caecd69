package codegen

import (
	. "weft/kernels/codegen/tree"
	"weft/kernels/codegen/values"
	"weft/kernels/ir"
	"weft/kernels/ir/count"
	"weft/kernels/schedule"
)

// Points whose ends of a fold follow from their places, as those of a product with a triangle do, go through it together: from where the first of them begins to where
// the last one ends. Turns that all of them have are written plainly; before and behind these, those that do not have a turn are masked. So blocks of registers
// serve a triangle as they serve a square, and what lies beside it takes no time.

// both are the turns that all points in flight have; nil: as many as the loop has at that end. Points that have none at all are not among them, if there may be some: they
// go through all turns too, and what they add up is dropped.
type both struct {
	lo, hi *Expr
	none   bool
}

// findTogether finds the fold whose points go through it together.
func (g *gen) findTogether() {
	g.Together = schedule.Together(g.Kernel, g.Target)
	if g.Together != nil {
		lo, hi, _ := count.Hull(g.Kernel, g.Together)
		g.first, g.longest, g.Vary = int(lo), int(hi-lo), ir.NewVary(g.Together)
	}
}

// togetherLimits sets the bounds of such a loop.
func (g *gen) togetherLimits(c *loop) {
	f := c.f
	none := maybeNone(f)
	over := func(n *ir.Node, join, lanes string, without *ir.Node) *Expr {
		var out *Expr
		for _, v := range c.copies {
			own := g.Val(n, v, values.ByLane)
			if none && without != nil {
				own = Select(g.some(c, v), own, Scalar(n.Type, Lit(without)))
			}
			x := own.Reduced(lanes)
			if out != nil && out != x {
				x = c.call(join, out, x)
			}
			out = x
		}
		return g.Name(c.sc, Scalar(n.Type, out)).Regs[0]
	}
	c.lo, c.hi, c.both = over(f.Lo, "s_min", "v_hmin", nil), over(f.Hi, "s_max", "v_hmax", nil), &both{none: none}
	if g.Differs(f.Lo) {
		c.both.lo = over(f.Lo, "s_max", "v_hmax", end(g.first))
	}
	if g.Differs(f.Hi) {
		c.both.hi = over(f.Hi, "s_min", "v_hmin", end(g.first+g.longest))
	}
}

func end(n int) *ir.Node { return &ir.Node{Kind: ir.KConst, Type: ir.I32, I: int64(n)} }

// maybeNone reports a fold in which some points may have no turn.
func maybeNone(f *ir.Fold) bool {
	_, lo, _ := ir.RangeOf(f.Lo, nil)
	hi, _, _ := ir.RangeOf(f.Hi, nil)
	return hi <= lo
}

// some are the points that have turns.
func (g *gen) some(c *loop, v int) Value {
	return Op(ir.Lt, ir.Bool, g.Val(c.f.Lo, v, values.ByLane), g.Val(c.f.Hi, v, values.ByLane))
}

// dropNone leaves the sums of points without turns as they began.
func (g *gen) dropNone(c *loop) {
	if c.both == nil || !c.both.none {
		return
	}
	for q, a := range c.f.Accs {
		for _, v := range c.copies {
			acc := g.AccName(a, v)
			x := Select(g.some(c, v), acc, g.Val(c.f.Init[q], v, values.ByLane))
			if c.vec {
				x = x.AsVec()
			}
			c.sc.Add(Assign(acc, x)...)
		}
	}
}

// inPart cuts a loop to a part of a split fold.
func (g *gen) inPart(c *loop) {
	lo, hi := Name("part"), Name("part_end")
	if c.both != nil {
		lo, hi = c.call("s_max", lo, c.lo), c.call("s_min", hi, c.hi)
		lo, hi = g.Name(c.sc, Scalar(c.f.Index.Type, lo)).Regs[0], g.Name(c.sc, Scalar(c.f.Index.Type, hi)).Regs[0]
	}
	c.lo, c.hi = lo, hi
}

// turnsOf are from where to where the parts of a split fold go.
func (g *gen) turnsOf(f *ir.Fold) (from, to *Expr) {
	if f == g.Together {
		return Int(g.first), Int(g.first + g.longest)
	}
	return g.Val(f.Lo, 0, values.ByLane).Regs[0], g.Val(f.Hi, 0, values.ByLane).Regs[0]
}

// togetherLoop writes the loop. Blocks of sums in float32 begin where they would for points that have all turns, so that a sum does not depend on
// which points are side by side.
func (g *gen) togetherLoop(c *loop) {
	b := values.NewBlocked(c.f, max(1, g.Schedule.AccBlock), g.Fresh("s"))
	if g.Schedule.AccBlock > 0 {
		g.narrowSums(c, b)
	}
	g.Within(func() {
		g.turn(c, c.in)
		if len(c.narrow) == 0 {
			c.sc.Add(g.turnsTogether(c, c.lo, c.hi)...)
			return
		}
		t, start, size := c.ctype().Scalar, Name(b.Start), Int(b.Size)
		first := c.lo
		if c.f.Lo.Kind != ir.KConst {
			first = Add(Bin("*", Bin("/", Bin("-", c.lo, Int(g.first)), size), size), Int(g.first))
		}
		from, to := Name(g.Fresh("s")), Name(g.Fresh("e"))
		list := append(b.Outer.Body, Let(t, from.Text, c.call("s_max", start, c.lo)), Let(t, to.Text, c.call("s_min", Bin("+", start, size), c.hi)))
		list = append(append(list, g.turnsTogether(c, from, to)...), g.widenSums(c)...)
		c.sc.Add(Count(t, b.Start, first, c.hi, b.Size, list...))
	}, c.in)
}

// turnsTogether are loops over some turns.
func (g *gen) turnsTogether(c *loop, from, to *Expr) (out []Stmt) {
	t := c.ctype().Scalar
	cut := func(x *Expr) *Expr {
		name := Name(g.Fresh("e"))
		out = append(out, Let(t, name.Text, c.call("s_max", from, c.call("s_min", x, to))))
		return name
	}
	if c.both.lo != nil {
		end := cut(c.both.lo)
		out = append(append(out, g.maskedTurns(c, from, end)), g.throughMemory(c)...)
		from = end
	}
	end := to
	if c.both.hi != nil {
		end = cut(c.both.hi)
	}
	out = append(out, c.loop(from, end, 1, c.in.Body))
	if c.both.hi != nil {
		out = append(append(out, g.throughMemory(c)...), g.maskedTurns(c, end, to))
	}
	return out
}

// throughMemory has sums pass through memory between loops: compilers would else leave those of the plain one there for all of its turns, as masks take registers.
func (g *gen) throughMemory(c *loop) []Stmt {
	if !c.vec || g.W == 1 {
		return nil
	}
	var out, load []Stmt
	for q, a := range c.f.Accs {
		_, narrow := c.narrow[q]
		var save []Stmt
		name := Name(g.Fresh("h"))
		t := a.Type
		for _, v := range c.copies {
			x := g.AccName(a, v)
			if narrow {
				x = g.narrowName(c, q, v)
			}
			t = x.Type
			for h := range schedule.Registers(t) {
				at := At(name, Int(len(save)))
				save, load = append(save, Set{To: at, Value: x.Regs[h]}), append(load, Set{To: x.Regs[h], Value: at})
			}
		}
		out = append(append(out, Array{Type: Spelled[t].Vector, Name: name.Text, N: Int(len(save)), Aligned: true}), save...)
		out = append(out, Do(Call("HIDE", name)))
	}
	return append(out, load...)
}

// maskedTurns is a loop over turns that some points do not have.
func (g *gen) maskedTurns(c *loop, from, to *Expr) Stmt {
	in := values.NewScope(c.in.Binds)
	in.Fold = c.f
	saved := g.Stack
	g.Stack = append(append([]*values.Scope{}, g.Stack[:len(g.Stack)-1]...), in)
	vary, index, masks := g.Vary.Of(c.f.Node), Scalar(c.f.Index.Type, c.index()), map[int]Value{}
	for _, v := range c.copies {
		on := Op(ir.Lt, ir.Bool, index, g.Val(c.f.Hi, v, values.ByLane))
		if c.both.lo != nil {
			on = And(on, Op(ir.Le, ir.Bool, g.Val(c.f.Lo, v, values.ByLane), index))
		}
		if c.vec {
			on = on.AsVec()
		}
		masks[v] = g.Name(in, on)
	}
	in.Mask = func(v int) Value { return masks[g.Canon(vary, v)] }
	g.body(c, in)
	g.Stack = saved
	return c.loop(from, to, 1, in.Body)
}

// filled are the turns for which what is packed along an axis of the chunk is laid out: of points that go together through a part of them each, those alone that some
// point has which finds it there. cut, if set, says which.
func (g *gen) filled(axis int) (from, to *Expr, cut []Stmt) {
	from, to = Name("part"), Name("part_end")
	if g.Together == nil || g.Together != g.Sliced {
		return from, to, nil
	}
	b := ir.Extend(g.Kernel.Roots())
	ends, names := map[*ir.Node][2]*ir.Node{}, map[*ir.Node]*Expr{}
	var over ir.Set
	inner := false // of the axis: all of the tile
	for _, c := range g.Schedule.Chunk {
		x := g.Axes[c.Axis]
		lo, hi := TileLo(c.Axis), TileHi(c.Axis)
		if !inner {
			lo, hi = ChunkEnds(x)
		}
		first, last := b.Axis(x.Name, x.Extent), b.Axis(x.Name, x.Extent)
		ends[x], names[first], names[last] = [2]*ir.Node{first, last}, lo, Bin("-", hi, Int(1))
		over, inner = over.Or(x.Bind()), inner || c.Axis == axis
	}
	q := ir.Bounder{B: b, Over: over, Leaf: func(n *ir.Node, s ir.Side) *ir.Node { return ends[n][s] }}
	spelled := func(n *ir.Node) *Expr {
		if n == nil || n.Free().Meets(over) {
			return nil
		}
		return spell(n, names)
	}
	x, y := spelled(q.Bound(g.Together.Lo, ir.Lo)), spelled(q.Bound(g.Together.Hi, ir.Hi))
	if x != nil { // whole vectors of turns
		x = Call("s_max_i", Bin("-", x, from), Int(0))
		from = Name(g.Fresh("s"))
		cut = append(cut, Let("int", from.Text, Bin("+", Name("part"), Bin("*", Bin("/", x, Int(g.W)), Int(g.W)))))
	}
	if y != nil {
		to = Name(g.Fresh("e"))
		cut = append(cut, Let("int", to.Text, Call("s_min_i", y, Name("part_end"))))
	}
	return from, to, cut
}

// spell is a whole number made of others that have names, as one expression; nil where it is made of anything else.
func spell(n *ir.Node, names map[*ir.Node]*Expr) *Expr {
	var of func(n *ir.Node) (Value, bool)
	of = func(n *ir.Node) (x Value, ok bool) {
		switch {
		case n.Kind == ir.KConst:
			return Scalar(n.Type, Lit(n)), true
		case names[n] != nil:
			return Scalar(n.Type, names[n]), true
		case n.Kind == ir.KAxis && n.Role == ir.RoleParallel:
			return Scalar(n.Type, Name(AxisName(n))), true
		case n.Kind != ir.KAlu:
			return x, false
		}
		var args []Value
		for _, a := range n.Args {
			x, ok := of(a)
			if !ok {
				return x, false
			}
			args = append(args, x)
		}
		return Op(n.Op, n.Type, args...), true
	}
	x, ok := of(n)
	if !ok {
		return nil
	}
	return x.Regs[0]
}
